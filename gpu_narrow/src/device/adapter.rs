//! Adapters: what there is, what can run the passes, and which is taken.

use std::fmt;
use std::sync::OnceLock;

use crate::EngineError;
use crate::device::{device_file, instance, limits};

/// Which adapter to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// Hardware alone: what [`AdapterChoice::Any`] would take only for want of it does not count.
    #[default]
    Hardware,
    /// Hardware, else a software adapter.
    Any,
    /// The first whose name or driver holds this text, in any case of letters. Software counts.
    Named(String),
}

/// What an adapter is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU seen through a virtual machine.
    Virtual,
    /// Hardware that does not say what it is.
    Other,
    /// The CPU, emulating a GPU: right answers, far slower than the CPU's own passes.
    Software,
}

impl AdapterKind {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            AdapterKind::Discrete => "discrete",
            AdapterKind::Integrated => "integrated",
            AdapterKind::Virtual => "virtual",
            AdapterKind::Other => "other",
            AdapterKind::Software => "software",
        }
    }

    fn of(device_type: wgpu::DeviceType) -> AdapterKind {
        match device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Other => AdapterKind::Other,
            wgpu::DeviceType::Cpu => AdapterKind::Software,
        }
    }
}

/// An adapter that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterSummary {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub kind: AdapterKind,
    /// The interface it is reached by: `vulkan`, `metal`, `dx12`.
    pub interface: String,
    /// The driver and its version.
    pub driver: String,
    /// What keeps it from running the passes.
    pub lacks: Option<EngineError>,
}

impl AdapterSummary {
    /// Whether the CPU emulates it.
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Software
    }

    pub(crate) fn of(info: &wgpu::AdapterInfo, lacks: Option<EngineError>) -> AdapterSummary {
        AdapterSummary {
            name: info.name.clone(),
            kind: AdapterKind::of(info.device_type),
            interface: info.backend.to_str().to_owned(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            lacks,
        }
    }

    fn is_named(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.name.to_lowercase().contains(&text) || self.driver.to_lowercase().contains(&text)
    }
}

impl fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}, {})", self.name, self.kind.name(), self.interface, self.driver)
    }
}

impl fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdapterChoice::Hardware => f.write_str("hardware adapter"),
            AdapterChoice::Any => f.write_str("adapter"),
            AdapterChoice::Named(name) => write!(f, "adapter named `{name}`"),
        }
    }
}

/// The adapters of this machine, as they were when first asked for: a driver is not started twice.
struct Found {
    adapters: Vec<wgpu::Adapter>,
    summaries: Vec<AdapterSummary>,
}

static FOUND: OnceLock<Found> = OnceLock::new();

fn found() -> &'static Found {
    FOUND.get_or_init(|| {
        let adapters = std::panic::catch_unwind(enumerate).unwrap_or_default();
        let summaries = adapters.iter().map(|a| AdapterSummary::of(&a.get_info(), limits::check(a).err()));
        Found { summaries: summaries.collect(), adapters }
    })
}

fn enumerate() -> Vec<wgpu::Adapter> {
    let Some(instance) = instance::without_windows() else { return Vec::new() };
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
}

/// What there is to choose from. Starting the drivers takes up to seconds; where only hardware counts and the system has
/// none, they are left alone.
fn found_for(choice: &AdapterChoice) -> Result<&'static Found, EngineError> {
    if *choice == AdapterChoice::Hardware && FOUND.get().is_none() && !device_file::may_be_there() {
        let found = "the system has no device file of a GPU".to_owned();
        return Err(EngineError::NoAdapter { wanted: choice.to_string(), found });
    }
    Ok(found())
}

/// The adapters of this machine.
pub fn adapters() -> &'static [AdapterSummary] {
    &found().summaries
}

/// The one that a choice takes.
///
/// # Errors
/// [`EngineError::NoAdapter`] says what there is instead; an adapter that is named, or the only one,
/// and cannot run the passes gives what it lacks.
pub fn choose(choice: &AdapterChoice) -> Result<&'static AdapterSummary, EngineError> {
    let found = found_for(choice)?;
    pick(&found.summaries, choice).map(|index| &found.summaries[index])
}

/// As [`choose`], with wgpu's own handle.
pub(crate) fn take(choice: &AdapterChoice) -> Result<&'static wgpu::Adapter, EngineError> {
    let found = found_for(choice)?;
    pick(&found.summaries, choice).map(|index| &found.adapters[index])
}

/// The best of those that a choice allows: able before unable, then by kind, then in the order found.
fn pick(summaries: &[AdapterSummary], choice: &AdapterChoice) -> Result<usize, EngineError> {
    let allowed = |s: &AdapterSummary| match choice {
        AdapterChoice::Hardware => !s.is_software(),
        AdapterChoice::Any => true,
        AdapterChoice::Named(name) => s.is_named(name),
    };
    let best = (0..summaries.len())
        .filter(|&i| allowed(&summaries[i]))
        .min_by_key(|&i| (summaries[i].lacks.is_some(), summaries[i].kind, i));
    match best {
        Some(index) => match &summaries[index].lacks {
            None => Ok(index),
            Some(lacks) => Err(lacks.clone()),
        },
        None => Err(EngineError::NoAdapter { wanted: choice.to_string(), found: instead(summaries, choice) }),
    }
}

fn instead(summaries: &[AdapterSummary], choice: &AdapterChoice) -> String {
    if summaries.is_empty() {
        return "this machine has no Vulkan, Metal or DirectX 12 driver; install one, or use the CPU"
            .to_owned();
    }
    let names: Vec<String> = summaries.iter().map(AdapterSummary::to_string).collect();
    let hint = match choice {
        AdapterChoice::Hardware => "; a software adapter is taken only when it is asked for by name",
        AdapterChoice::Any | AdapterChoice::Named(_) => "",
    };
    format!("there is: {}{hint}", names.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, kind: AdapterKind, able: bool) -> AdapterSummary {
        let lacks = (!able).then(|| EngineError::NoCompute { adapter: name.to_owned() });
        let (interface, driver) = ("vulkan".to_owned(), "some driver".to_owned());
        AdapterSummary { name: name.to_owned(), kind, interface, driver, lacks }
    }

    #[test]
    fn hardware_is_taken_by_kind_and_software_only_when_it_may_be() {
        let all = [
            adapter("llvmpipe", AdapterKind::Software, true),
            adapter("inside", AdapterKind::Integrated, true),
            adapter("card", AdapterKind::Discrete, true),
        ];
        assert_eq!(pick(&all, &AdapterChoice::Hardware), Ok(2));
        assert_eq!(pick(&all, &AdapterChoice::Any), Ok(2));
        assert_eq!(pick(&all, &AdapterChoice::Named("LLVM".into())), Ok(0));
        let soft = &all[..1];
        assert_eq!(pick(soft, &AdapterChoice::Any), Ok(0));
        let error = pick(soft, &AdapterChoice::Hardware).unwrap_err().to_string();
        assert!(error.contains("llvmpipe") && error.contains("by name"), "{error}");
    }

    #[test]
    fn an_adapter_that_lacks_something_gives_way_and_says_so_when_it_is_alone() {
        let all =
            [adapter("old", AdapterKind::Discrete, false), adapter("new", AdapterKind::Integrated, true)];
        assert_eq!(pick(&all, &AdapterChoice::Hardware), Ok(1));
        let lacks = EngineError::NoCompute { adapter: "old".to_owned() };
        assert_eq!(pick(&all, &AdapterChoice::Named("old".into())), Err(lacks.clone()));
        assert_eq!(pick(&all[..1], &AdapterChoice::Hardware), Err(lacks));
    }

    #[test]
    fn without_any_driver_the_message_says_what_to_do() {
        let error = pick(&[], &AdapterChoice::Hardware).unwrap_err();
        assert!(matches!(error, EngineError::NoAdapter { .. }));
        assert!(error.to_string().contains("install one"), "{error}");
    }
}
