//! Stands in for the GPU where the feature `gpu` is off.

use impinge_image_space::classic::{PlaneView, Program, RasterScene, Readout};
use impinge_midphase::{CandidateBatch, PairJob};
use impinge_pair::{IntersectionVolume, NarrowScratch, NarrowSettings, Redo, SampledPatch, ViewIntervals};
use nalgebra::Point2;

use super::{DeviceSummary, Plan, Taken};
use crate::ldi::{Capture, LayeredDepthImage, LdiJob};
use crate::pair_memory::PairMemory;
use crate::report::{StepCounts, StepTimes};
use crate::{Backend, Parity};

const REASON: &str = "this build has no GPU passes (feature `gpu`)";

/// Nothing to choose from.
#[derive(Clone, Debug, Default)]
pub(crate) struct GpuOptions {
    pub adapter: Option<String>,
    pub parity: Option<Parity>,
}

/// There is none.
#[derive(Debug)]
pub(crate) enum Gpu {}

/// There are none.
#[derive(Debug, Default)]
pub(crate) struct DeviceBodies {}

impl DeviceBodies {
    pub fn forget(&mut self, _: impinge_geometry::ShapeId) {}

    pub fn is_empty(&self) -> bool {
        true
    }

    pub fn meet(
        &mut self,
        _: Option<&mut Gpu>,
        _: &mut crate::pair_memory::PairMemories,
        _: &crate::slots::Slots<crate::world::HeldCollider>,
        _: &mut StepCounts,
    ) {
    }
}

impl crate::World {
    pub(crate) fn device_bounds(&self, _: impinge_geometry::ShapeId) -> Option<impinge_geometry::Aabb> {
        None
    }
}

/// Nothing is ever pushed.
#[derive(Debug, Default)]
pub(crate) struct Tickets {}

impl Tickets {
    pub fn of_contacts(
        _: &CandidateBatch<'_>,
        _: &[Box<PairMemory>],
        _: &NarrowSettings,
        _: &mut NarrowScratch,
    ) -> Tickets {
        Tickets {}
    }
}

/// There are none.
#[derive(Clone, Debug)]
pub(crate) enum DeviceAnswers {}

impl DeviceAnswers {
    pub fn cull(&self, _: &mut CandidateBatch<'_>, _: &Tickets) {
        match *self {}
    }

    pub fn sampled(&self, _: &Tickets, _: usize, _: &PairJob<'_>) -> Option<Result<Vec<SampledPatch>, Redo>> {
        match *self {}
    }

    pub fn view_intervals(&self, _: &Tickets, _: usize, _: &PairJob<'_>) -> Vec<ViewIntervals> {
        match *self {}
    }
}

/// There is none.
#[derive(Debug)]
pub(crate) enum ClassicDevice {}

impl ClassicDevice {
    pub fn open(_: Option<&str>) -> Result<ClassicDevice, String> {
        Err(REASON.to_owned())
    }

    pub fn adapter(&self) -> String {
        match *self {}
    }

    pub fn is_lost(&self) -> bool {
        match *self {}
    }

    pub fn run(&mut self, _: &RasterScene, _: &Program) -> Result<Readout, String> {
        match *self {}
    }

    pub fn field(&mut self, _: &[Point2<f64>], _: &PlaneView) -> Result<Vec<f64>, String> {
        match *self {}
    }
}

/// There is none.
#[derive(Debug)]
pub(crate) enum LdiDevice {}

impl LdiDevice {
    pub fn open(_: Option<&str>, _: bool) -> Result<LdiDevice, String> {
        Err(REASON.to_owned())
    }

    pub fn adapter(&self) -> String {
        match *self {}
    }

    pub fn is_lost(&self) -> bool {
        match *self {}
    }

    pub fn capture(
        &mut self,
        _: Capture,
        _: &[LdiJob<'_>],
    ) -> Result<Vec<Result<LayeredDepthImage, String>>, String> {
        match *self {}
    }
}

impl Gpu {
    pub fn open(_: Backend, _: &GpuOptions) -> Result<Gpu, String> {
        Err(REASON.to_owned())
    }

    pub fn devices() -> (Vec<DeviceSummary>, Result<String, String>) {
        (Vec::new(), Err(REASON.to_owned()))
    }

    pub fn adapter(&self) -> String {
        match *self {}
    }

    pub fn parity(&self) -> Parity {
        match *self {}
    }

    pub fn fault(&self) -> Option<&str> {
        match *self {}
    }

    pub fn begin(&mut self) {
        match *self {}
    }

    pub fn is_hybrid(&self) -> bool {
        match *self {}
    }

    pub fn plan(&mut self, _: usize, _: usize) -> Plan {
        match *self {}
    }

    pub fn learn(&mut self, _: usize, _: Taken, _: Taken, _: usize) {
        match *self {}
    }

    pub fn push(&mut self, _: &CandidateBatch<'_>, _: &mut Tickets) {
        match *self {}
    }

    pub fn push_volumes(&mut self, _: &CandidateBatch<'_>, _: &mut Tickets, _: u32) {
        match *self {}
    }

    pub fn volume(&self, _: &Tickets, _: usize, _: &PairJob<'_>) -> Option<IntersectionVolume> {
        match *self {}
    }

    pub fn flush(&mut self) -> bool {
        match *self {}
    }

    pub fn poll(&mut self) -> Option<DeviceAnswers> {
        match *self {}
    }

    pub fn wait(&mut self) -> DeviceAnswers {
        match *self {}
    }

    pub fn no_answers(&self) -> DeviceAnswers {
        match *self {}
    }

    pub fn finish(&mut self) {
        match *self {}
    }

    pub fn cull(&self, _: &mut CandidateBatch<'_>, _: &Tickets) {
        match *self {}
    }

    pub fn report(&self, _: &mut StepCounts, _: &mut StepTimes) {
        match *self {}
    }
}
