//! The library's log, handed to the caller.

use std::ffi::{CString, c_char, c_void};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, PoisonError, RwLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::status::{Failure, ImpStatus, call};

/// Errors alone.
pub const IMP_LOG_ERROR: i32 = 1;
/// Warnings, too.
pub const IMP_LOG_WARN: i32 = 2;
/// What happens now and then, too.
pub const IMP_LOG_INFO: i32 = 3;
/// What helps to find a fault, too; spans of work as they begin.
pub const IMP_LOG_DEBUG: i32 = 4;

/// Takes a line of the log (UTF-8, valid during the call) and its level.
pub type ImpLog = Option<unsafe extern "C" fn(user: *mut c_void, level: i32, text: *const c_char)>;

#[derive(Clone, Copy)]
struct Sink {
    write: unsafe extern "C" fn(user: *mut c_void, level: i32, text: *const c_char),
    user: *mut c_void,
    level: i32,
}

// SAFETY: the header says that it is called from any thread.
unsafe impl Send for Sink {}
// SAFETY: as above.
unsafe impl Sync for Sink {}

static SINK: RwLock<Option<Sink>> = RwLock::new(None);
static SPANS: AtomicU64 = AtomicU64::new(1);

fn sink() -> Option<Sink> {
    *SINK.read().unwrap_or_else(PoisonError::into_inner)
}

fn number(level: &Level) -> i32 {
    match *level {
        Level::ERROR => IMP_LOG_ERROR,
        Level::WARN => IMP_LOG_WARN,
        Level::INFO => IMP_LOG_INFO,
        _ => IMP_LOG_DEBUG,
    }
}

impl Sink {
    fn tell(&self, level: i32, line: &str) {
        if level <= self.level
            && let Ok(text) = CString::new(line.replace('\0', ""))
        {
            // SAFETY: the caller gave the function and its pointer for this.
            unsafe { (self.write)(self.user, level, text.as_ptr()) };
        }
    }
}

/// Fields as `name=value`, the message first and without a name.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // A `String` takes everything.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

/// Hands events to the sink, wherever it is at the time.
struct Forward;

impl Subscriber for Forward {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let level = if metadata.is_span() { IMP_LOG_DEBUG } else { number(metadata.level()) };
        sink().is_some_and(|sink| level <= sink.level)
    }

    fn register_callsite(&self, _: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // The sink may change.
        tracing::subscriber::Interest::sometimes()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if let Some(sink) = sink() {
            let mut line = Line(span.metadata().name().to_owned());
            span.record(&mut line);
            sink.tell(IMP_LOG_DEBUG, &line.0);
        }
        Id::from_u64(SPANS.fetch_add(1, Ordering::Relaxed).max(1))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(sink) = sink() else { return };
        let mut line = Line(format!("{}:", event.metadata().target()));
        event.record(&mut line);
        sink.tell(number(event.metadata().level()), &line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Has the library's log written by `log`, up to a level from `IMP_LOG_ERROR` to `IMP_LOG_DEBUG`; null writes no more. It is called from any thread,
/// from several at once, and must return (no exceptions, no `longjmp`). A call that began before another was set may end after.
///
/// # Safety
/// `log` may be called with `user` until another is set and all calls have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_set_log(log: ImpLog, user: *mut c_void, level: i32) -> ImpStatus {
    call(|| {
        if !(IMP_LOG_ERROR..=IMP_LOG_DEBUG).contains(&level) {
            return Err(Failure::new(
                ImpStatus::Setting,
                format!(
                    "`level` is {level}; it must be from {IMP_LOG_ERROR} (errors) to {IMP_LOG_DEBUG} (debug)"
                ),
            ));
        }
        static SUBSCRIBE: Once = Once::new();
        // Nobody else in this library sets one.
        SUBSCRIBE.call_once(|| drop(tracing::subscriber::set_global_default(Forward)));
        let mut held = SINK.write().unwrap_or_else(PoisonError::into_inner);
        *held = log.map(|write| Sink { write, user, level });
        Ok(())
    })
}
