//! Questions about pairs of shapes: one pair or K, one pose or N.

use std::cell::RefCell;

use impinge::nalgebra::Isometry3;
use impinge::query::{BatchError, FlatAnswers, PoseBatch, QueryScratch};
use impinge::{PairDistance, PairQuery, PreparedShape, QueryError};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::contact_arrays::contact_arrays;
use crate::errors::{InvalidPose, InvalidSetting, of_batch, of_query, of_uneven};
use crate::poses::{Poses, poses};
use crate::query_settings::{ContactOptions, Margins};
use crate::shapes::ShapeList;
use crate::threads::pool;
use crate::whole_numbers;

thread_local! {
    /// Buffers of single questions.
    static SCRATCH: RefCell<QueryScratch> = RefCell::default();
}

/// Pairs and their poses.
struct Questions {
    queries: Vec<PairQuery>,
    poses: Vec<Isometry3<f64>>,
    /// Whether every pair has poses of its own.
    own: bool,
    /// The sizes of the answer: none of one pair at one pose.
    dims: Vec<usize>,
    threads: Option<usize>,
    /// The place of the first pose among those of the caller's, for errors.
    first: usize,
}

impl Questions {
    fn read(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        first: usize,
        check: impl Fn(Option<usize>) -> PyResult<()>,
        make: impl Fn(usize, &PreparedShape, &PreparedShape) -> PyResult<PairQuery>,
    ) -> PyResult<Questions> {
        let (a, b) = (ShapeList::read(a, "a")?, ShapeList::read(b, "b")?);
        let pairs = match (a.count(), b.count()) {
            (Some(p), Some(q)) if p != q => {
                return Err(InvalidSetting::new_err(format!(
                    "a has {p} shapes and b has {q}; they must be as many, or one of them a single shape"
                )));
            }
            (p, q) => p.or(q),
        };
        check(pairs)?;
        let queries: PyResult<Vec<PairQuery>> =
            (0..pairs.unwrap_or(1)).map(|k| make(k, a.get(k), b.get(k))).collect();
        let Poses { all, dims } = poses(at, "poses", first)?;
        let own = dims.len() == 2;
        if own && pairs != Some(dims[0]) {
            return Err(InvalidPose::new_err(format!(
                "poses are for {} pairs, and there are {}; give (N, 4, 4) for the same poses for all",
                dims[0],
                pairs.map_or("one pair that is not in a list".to_owned(), |k| k.to_string()),
            )));
        }
        let dims = if own { dims } else { pairs.into_iter().chain(dims).collect() };
        Ok(Questions { queries: queries?, poses: all, own, dims, threads, first })
    }

    fn batch(&self) -> PyResult<PoseBatch<'_>> {
        if self.own {
            return PoseBatch::own(&self.queries, &self.poses).map_err(|error| of_uneven(&error));
        }
        Ok(PoseBatch::shared(&self.queries, &self.poses))
    }

    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl Fn(&PairQuery, &Isometry3<f64>, &Isometry3<f64>, &mut QueryScratch) -> Result<T, QueryError>
        + Sync
        + Send,
    ) -> PyResult<Vec<T>> {
        if let ([query], [pose]) = (&self.queries[..], &self.poses[..]) {
            let one = || SCRATCH.with_borrow_mut(|scratch| ask(query, &Isometry3::identity(), pose, scratch));
            let named = |source| match &self.dims[..] {
                [] => of_query(&source),
                _ => of_batch(BatchError { pair: 0, pose: 0, source }, self.first),
            };
            return Ok(vec![py.detach(one).map_err(named)?]);
        }
        let (batch, pool) = (self.batch()?, pool(self.threads)?);
        py.detach(|| pool.install(|| batch.ask(ask))).map_err(|error| of_batch(error, self.first))
    }

    fn ask_flat<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl Fn(
            &PairQuery,
            &Isometry3<f64>,
            &Isometry3<f64>,
            &mut QueryScratch,
        ) -> Result<Vec<T>, QueryError>
        + Sync
        + Send,
    ) -> PyResult<FlatAnswers<T>> {
        let (batch, pool) = (self.batch()?, pool(self.threads)?);
        py.detach(|| pool.install(|| batch.ask_flat(ask))).map_err(|error| of_batch(error, self.first))
    }

    /// Answers in the arrangement of the questions, with so many numbers each.
    fn arranged<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        numbers: Vec<T>,
        each: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let dims: Vec<usize> = self.dims.iter().chain(each).copied().collect();
        let array = PyArray1::from_vec(py, numbers).reshape(dims)?;
        // Of one question a number, not an array without dimensions.
        if self.dims.is_empty() && each.is_empty() {
            array.as_any().call_method0("item")
        } else {
            Ok(array.into_any())
        }
    }

    fn with_shape<'py>(&self, out: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        out.set_item("shape", pyo3::types::PyTuple::new(out.py(), &self.dims)?)?;
        Ok(out)
    }
}

fn any(_: Option<usize>) -> PyResult<()> {
    Ok(())
}

fn plain(_: usize, a: &PreparedShape, b: &PreparedShape) -> PyResult<PairQuery> {
    Ok(PairQuery::between(a, b))
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, threads=None, first=0))]
fn touching<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
    #[pyo3(from_py_with = whole_numbers::count)] first: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let questions = Questions::read(a, b, poses, threads, first, any, plain)?;
    let found = questions.ask(py, PairQuery::touching_with)?;
    questions.arranged(py, found, &[])
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, bound=f64::INFINITY, threads=None, first=0))]
fn distance<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    bound: f64,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
    #[pyo3(from_py_with = whole_numbers::count)] first: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let questions = Questions::read(a, b, poses, threads, first, any, plain)?;
    let found = questions.ask(py, |query, a, b, scratch| {
        let found = query.distance_within_with(a, b, bound, scratch)?;
        Ok(found.map_or(f64::INFINITY, |found| found.distance()))
    })?;
    questions.arranged(py, found, &[])
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, bound=f64::INFINITY, threads=None))]
fn nearest<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    bound: f64,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let questions = Questions::read(a, b, poses, threads, 0, any, plain)?;
    let found = questions.ask(py, |query, a, b, scratch| query.distance_within_with(a, b, bound, scratch))?;
    let nearest = |found: &Option<PairDistance>| found.as_ref().and_then(|found| found.nearest().copied());
    let vectors = |take: &dyn Fn(&impinge::query::NearestPoints) -> [f64; 3]| {
        let numbers =
            found.iter().flat_map(|found| nearest(found).map_or([f64::NAN; 3], |n| take(&n))).collect();
        questions.arranged(py, numbers, &[3])
    };
    let out = PyDict::new(py);
    let distances = found.iter().map(|found| found.as_ref().map_or(f64::INFINITY, PairDistance::distance));
    out.set_item("distances", questions.arranged(py, distances.collect(), &[])?)?;
    out.set_item("points_a", vectors(&|n| n.on_a.into())?)?;
    out.set_item("points_b", vectors(&|n| n.on_b.into())?)?;
    out.set_item("normals", vectors(&|n| n.normal.into())?)?;
    Ok(out)
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, margin=Margins::All(0.0), resolution=32, max_points=4, max_manifolds=4, threads=None))]
#[expect(clippy::too_many_arguments, reason = "keywords")]
fn contacts<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = Margins::read)] margin: Margins,
    #[pyo3(from_py_with = whole_numbers::resolution)] resolution: u32,
    #[pyo3(from_py_with = whole_numbers::max_points)] max_points: usize,
    #[pyo3(from_py_with = whole_numbers::max_manifolds)] max_manifolds: usize,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = ContactOptions { margins: margin, resolution, max_points, max_manifolds };
    let questions = Questions::read(
        a,
        b,
        poses,
        threads,
        0,
        |pairs| options.check(pairs),
        |k, a, b| options.query(k, a, b),
    )?;
    let (offsets, manifolds) = questions.ask_flat(py, PairQuery::contacts_with)?.into_parts();
    questions.with_shape(contact_arrays(py, &manifolds, &offsets)?)
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, threads=None))]
fn triangle_pairs<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let questions = Questions::read(a, b, poses, threads, 0, any, plain)?;
    let (offsets, pairs) = questions.ask_flat(py, PairQuery::triangle_pairs_with)?.into_parts();
    let out = PyDict::new(py);
    out.set_item("offsets", PyArray1::from_iter(py, offsets.iter().map(|&k| k as i64)))?;
    let flat = |numbers: Vec<u32>| PyArray1::from_vec(py, numbers).reshape([pairs.len(), 2]);
    out.set_item("triangles", flat(pairs.iter().flat_map(|p| p.triangles).collect())?)?;
    out.set_item("subshapes", flat(pairs.iter().flat_map(|p| p.subshapes).collect())?)?;
    questions.with_shape(out)
}

#[pyfunction]
#[pyo3(signature = (a, b, poses=None, *, threads=None, first=0))]
fn intersection<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole_numbers::threads_of_call)] threads: Option<usize>,
    #[pyo3(from_py_with = whole_numbers::count)] first: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let questions = Questions::read(a, b, poses, threads, first, any, plain)?;
    let found = questions.ask(py, PairQuery::intersection_volume_with)?;
    type Volume = impinge::query::IntersectionVolume;
    let numbers = |take: &dyn Fn(&Volume) -> f64| {
        let numbers = found.iter().map(|found| found.as_ref().map_or(f64::NAN, take)).collect();
        questions.arranged(py, numbers, &[])
    };
    let vectors = |take: &dyn Fn(&Volume) -> Option<[f64; 3]>| {
        let numbers =
            found.iter().flat_map(|found| found.as_ref().and_then(take).unwrap_or([f64::NAN; 3])).collect();
        questions.arranged(py, numbers, &[3])
    };
    let out = PyDict::new(py);
    out.set_item("volumes", numbers(&|v| v.volume)?)?;
    out.set_item("errors", numbers(&|v| v.error)?)?;
    out.set_item("gradients", vectors(&|v| Some(v.gradient.into()))?)?;
    out.set_item("moments", vectors(&|v| v.moment.map(Into::into))?)?;
    out.set_item("centroids", vectors(&|v| v.centroid.map(Into::into))?)?;
    Ok(out)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(touching, module)?)?;
    module.add_function(wrap_pyfunction!(distance, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)?;
    module.add_function(wrap_pyfunction!(contacts, module)?)?;
    module.add_function(wrap_pyfunction!(triangle_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(intersection, module)?)
}
