//! The status of a call, and the text of a thread's last error.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use impinge::geometry::{MeshError, PoseError, ShapeError};
use impinge::query::BatchError;
use impinge::{BuildError, QueryError, WorldError};

/// How a call ended. Of all but `IMP_STATUS_OK`, `imp_last_error` has the text, and nothing was changed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpStatus {
    /// It did what was asked.
    Ok = 0,
    /// A pointer is null where it must not be, or not aligned.
    Null = 1,
    /// A handle is of another type, was freed, or never was one.
    Handle = 2,
    /// The object is in use, by another thread or by the call whose callback this is.
    Busy = 3,
    /// A pose, point, path or ray has a number that cannot be used.
    Pose = 4,
    /// A size, setting, bound or margin is out of range.
    Setting = 5,
    /// A mesh or another shape cannot be made of what was given.
    Shape = 6,
    /// A file cannot be read, or is of no known format.
    File = 7,
    /// No collider of the world has this number.
    Collider = 8,
    /// A fault of the library: it panicked. The object in use, if any, may be half changed; free it.
    Panic = 9,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: ImpStatus,
    pub text: String,
}

impl Failure {
    pub fn new(status: ImpStatus, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }

    pub fn setting(text: impl Into<String>) -> Failure {
        Failure::new(ImpStatus::Setting, text)
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Carries out a call: keeps the text of its failure, or of its panic, for `imp_last_error`.
pub(crate) fn call(act: impl FnOnce() -> Result<(), Failure>) -> ImpStatus {
    let failure = match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(())) => return ImpStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            // What was thrown may throw when it is dropped.
            std::mem::forget(panic);
            Failure::new(ImpStatus::Panic, format!("a fault of impinge, please report it: {text}"))
        }
    };
    keep(&failure.text);
    failure.status
}

/// Keeps the text of a failure for `imp_last_error`.
fn keep(text: &str) {
    let clean: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    // While the thread ends there is no place for it, and nothing to read it.
    let _ = LAST.try_with(|last| {
        if let (Ok(mut last), Ok(text)) = (last.try_borrow_mut(), CString::new(clean)) {
            *last = text;
        }
    });
}

/// What was wrong in this thread's last call that failed, where, and what would be right (UTF-8); empty where none has. Valid until the
/// thread's next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn imp_last_error() -> *const c_char {
    LAST.try_with(|last| last.try_borrow().map_or(c"".as_ptr(), |text| text.as_ptr())).unwrap_or(c"".as_ptr())
}

/// The name of a status, such as `IMP_STATUS_OK`; `unknown` of what is none. Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn imp_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"IMP_STATUS_OK",
        1 => c"IMP_STATUS_NULL",
        2 => c"IMP_STATUS_HANDLE",
        3 => c"IMP_STATUS_BUSY",
        4 => c"IMP_STATUS_POSE",
        5 => c"IMP_STATUS_SETTING",
        6 => c"IMP_STATUS_SHAPE",
        7 => c"IMP_STATUS_FILE",
        8 => c"IMP_STATUS_COLLIDER",
        9 => c"IMP_STATUS_PANIC",
        _ => c"unknown",
    };
    name.as_ptr()
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Failure {
        let status = match error {
            MeshError::Io { .. }
            | MeshError::UnknownFormat { .. }
            | MeshError::FormatNotBuilt { .. }
            | MeshError::CannotWrite { .. }
            | MeshError::Parse { .. } => ImpStatus::File,
            _ => ImpStatus::Shape,
        };
        Failure::new(status, error.to_string())
    }
}

impl From<ShapeError> for Failure {
    fn from(error: ShapeError) -> Failure {
        match error {
            ShapeError::Mesh(error) => error.into(),
            _ => Failure::new(ImpStatus::Shape, error.to_string()),
        }
    }
}

impl From<PoseError> for Failure {
    fn from(error: PoseError) -> Failure {
        Failure::new(ImpStatus::Pose, error.to_string())
    }
}

fn of_query(error: &QueryError) -> ImpStatus {
    match error {
        QueryError::Pose { .. }
        | QueryError::Motion { .. }
        | QueryError::Obstacle { .. }
        | QueryError::Ray(_)
        | QueryError::Point(_) => ImpStatus::Pose,
        QueryError::NoTriangles { .. } => ImpStatus::Shape,
        _ => ImpStatus::Setting,
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Failure {
        Failure::new(of_query(&error), error.to_string())
    }
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Failure {
        Failure::new(of_query(&error.source), error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::setting(error.to_string())
    }
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Failure {
        let status = match error {
            WorldError::UnknownCollider { .. } => ImpStatus::Collider,
            WorldError::Pose(_) | WorldError::Motion(_) | WorldError::Ray(_) | WorldError::Point(_) => {
                ImpStatus::Pose
            }
            WorldError::Shape(error) => return error.into(),
            _ => ImpStatus::Setting,
        };
        Failure::new(status, error.to_string())
    }
}
