//! The caller's memory: arrays, results, settings whose size grows from version to version.

use std::mem::{MaybeUninit, size_of};

use crate::status::{Failure, ImpStatus};

/// The place of a result, which C sees as a pointer.
pub(crate) fn out<'a, T>(
    place: Option<&'a mut MaybeUninit<T>>,
    name: &str,
) -> Result<&'a mut MaybeUninit<T>, Failure> {
    place.ok_or_else(|| null(name))
}

/// What a pointer that must not be null points to.
pub(crate) fn given<'a, T>(value: Option<&'a T>, name: &str) -> Result<&'a T, Failure> {
    value.ok_or_else(|| null(name))
}

fn null(name: &str) -> Failure {
    Failure::new(ImpStatus::Null, format!("`{name}` is null; it must point to something"))
}

fn check<T>(start: *const T, count: usize, name: &str) -> Result<(), Failure> {
    if start.is_null() {
        return Err(Failure::new(
            ImpStatus::Null,
            format!("`{name}` is null; it must point to {count} elements"),
        ));
    }
    if !start.is_aligned() {
        let bytes = align_of::<T>();
        return Err(Failure::new(ImpStatus::Null, format!("`{name}` is not aligned to {bytes} bytes")));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::setting(format!("`{name}` has {count} elements; no memory is that large")));
    }
    Ok(())
}

/// An array of the caller's; may be null where it has no elements.
///
/// # Safety
/// Where it is not null and has elements, it points to as many as `count` says, which nobody writes to meanwhile.
pub(crate) unsafe fn array<'a, T>(start: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(start, count, name)?;
    // SAFETY: not null, aligned, of a size that memory can have; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}

/// An array of the caller's to be written to; may be null where it has no elements.
///
/// # Safety
/// Where it is not null and has elements, it points to as many as `count` says, which nobody else uses meanwhile.
pub(crate) unsafe fn array_out<'a, T>(
    start: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(start, count, name)?;
    // SAFETY: as for `array`; elements that were never written are not read.
    Ok(unsafe { std::slice::from_raw_parts_mut(start.cast(), count) })
}

/// Plain numbers, for which every pattern of bytes is a value, beginning with a `u32` that is the size of the structure.
///
/// # Safety
/// The type is `repr(C)`, has no padding that is read, and holds nothing but integers and floats.
pub(crate) unsafe trait Sized32: Copy {
    /// What is meant where no settings are given; `size` is that of the type.
    const DEFAULT: Self;
}

/// Settings as this version knows them: those of an older version have defaults for what they lack. Null are the defaults.
///
/// # Safety
/// Where it is not null, it points to as many bytes as its first four say.
pub(crate) unsafe fn settings<T: Sized32>(from: *const T, name: &str) -> Result<T, Failure> {
    let mut settings = T::DEFAULT;
    if from.is_null() {
        return Ok(settings);
    }
    check(from, 1, name)?;
    // SAFETY: the first field is a `u32`.
    let size = unsafe { from.cast::<u32>().read() } as usize;
    if size < size_of::<u32>() || size > size_of::<T>() {
        return Err(Failure::setting(format!(
            "`{name}->size` is {size}, and this library knows {}; begin with `imp_{name}_default`, and use a library that is not older \
             than the header",
            size_of::<T>()
        )));
    }
    // SAFETY: both have so many bytes, and any bytes are a value of `T`.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut settings).cast::<u8>(), size) };
    Ok(settings)
}
