//! Input arrays of any real type and order, and output arrays without a copy.

use nalgebra::{DMatrix, DVector, Vector3};
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods,
    ndarray::{ArrayViewD, Axis, Ix1, Ix2},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};

use crate::errors::refused;

/// `value` as an array of doubles.
///
/// # Errors
///
/// `ValueError` if `value` is not an array of real numbers; other errors, such as an interrupt, are passed on.
fn doubles<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return Ok(array.clone());
    }
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| {
        let is_ours =
            error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
        if is_ours {
            refused(format!("`{name}` is no array of real numbers: {error}"))
        } else {
            error
        }
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !["b", "i", "u", "f"].contains(&kind.as_str()) {
        let found = dtype.str()?;
        return Err(refused(format!(
            "`{name}` has entries of type {found}, expected real numbers"
        )));
    }
    Ok(array.call_method1("astype", (numpy.getattr("float64")?,))?.cast_into()?)
}

/// Passes the entries of `value` to `make`.
fn with_entries<T>(
    name: &str,
    value: &Bound<'_, PyAny>,
    make: impl FnOnce(ArrayViewD<'_, f64>) -> PyResult<T>,
) -> PyResult<T> {
    let array = doubles(name, value)?;
    let array = array.try_readonly().map_err(|error| refused(format!("`{name}`: {error}")))?;
    make(array.as_array())
}

fn wrong_shape(name: &str, found: &[usize], expected: &str) -> PyErr {
    refused(format!("`{name}` has the shape {}, expected {expected}", shape(found)))
}

/// A shape as Python shows it.
fn shape(lengths: &[usize]) -> String {
    match lengths {
        [one] => format!("({one},)"),
        _ => format!("({})", lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A matrix with any number of rows and columns.
pub(crate) fn matrix(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DMatrix<f64>> {
    with_entries(name, value, |entries| {
        let found = entries.shape().to_vec();
        // An empty list has one dimension.
        if found == [0] {
            return Ok(DMatrix::zeros(0, 0));
        }
        let entries = entries
            .into_dimensionality::<Ix2>()
            .map_err(|_| wrong_shape(name, &found, "a matrix, (rows, columns)"))?;
        let (rows, columns) = entries.dim();
        Ok(match entries.as_slice() {
            Some(entries) => DMatrix::from_row_slice(rows, columns, entries),
            None => DMatrix::from_fn(rows, columns, |row, column| entries[[row, column]]),
        })
    })
}

/// A matrix with this number of columns; without a value, a matrix without rows.
pub(crate) fn rows(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    columns: usize,
) -> PyResult<DMatrix<f64>> {
    let Some(value) = value else { return Ok(DMatrix::zeros(0, columns)) };
    let matrix = matrix(name, value)?;
    if matrix.nrows() == 0 {
        return Ok(DMatrix::zeros(0, columns));
    }
    if matrix.ncols() != columns {
        let found = [matrix.nrows(), matrix.ncols()];
        return Err(wrong_shape(name, &found, &format!("(rows, {columns})")));
    }
    Ok(matrix)
}

/// A vector of any length.
pub(crate) fn vector(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DVector<f64>> {
    list(name, value).map(DVector::from_vec)
}

/// The entries of a vector.
pub(crate) fn list(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    with_entries(name, value, |entries| {
        let found = entries.shape().to_vec();
        let entries = entries
            .into_dimensionality::<Ix1>()
            .map_err(|_| wrong_shape(name, &found, "a vector, (length,)"))?;
        Ok(entries.iter().copied().collect())
    })
}

/// One number for each of `count` things, from a vector or from one number for all.
pub(crate) fn each(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    with_entries(name, value, |entries| {
        if entries.ndim() == 0 {
            return Ok(vec![entries.iter().copied().sum(); count]);
        }
        if entries.shape() != [count] {
            return Err(wrong_shape(
                name,
                entries.shape(),
                &format!("{} or one number", shape(&[count])),
            ));
        }
        Ok(entries.iter().copied().collect())
    })
}

/// One vector with this number of `components` for each of `count` contacts, from a matrix or from their entries in one vector.
pub(crate) fn contacts(
    name: &str,
    value: &Bound<'_, PyAny>,
    count: usize,
    components: usize,
) -> PyResult<Vec<f64>> {
    with_entries(name, value, |entries| {
        if entries.shape() != [count, components] && entries.shape() != [count * components] {
            let expected =
                format!("{} or {}", shape(&[count, components]), shape(&[count * components]));
            return Err(wrong_shape(name, entries.shape(), &expected));
        }
        Ok(entries.iter().copied().collect())
    })
}

/// Vectors of contacts; in the plane the third component is zero.
pub(crate) fn vectors(entries: &[f64], components: usize) -> Vec<Vector3<f64>> {
    let vector =
        |entries: &[f64]| Vector3::from_fn(|row, _| entries.get(row).copied().unwrap_or_default());
    entries.chunks_exact(components).map(vector).collect()
}

/// 3 × 3 blocks, one for each of `count` positions.
pub(crate) fn blocks(
    name: &str,
    value: &Bound<'_, PyAny>,
    count: usize,
) -> PyResult<Vec<[[f64; 3]; 3]>> {
    with_entries(name, value, |entries| {
        if entries.shape() != [count, 3, 3] {
            return Err(wrong_shape(name, entries.shape(), &shape(&[count, 3, 3])));
        }
        let block = |block: ArrayViewD<'_, f64>| {
            std::array::from_fn(|row| std::array::from_fn(|column| block[[row, column].as_slice()]))
        };
        Ok(entries.axis_iter(Axis(0)).map(block).collect())
    })
}

/// A vector for Python.
pub(crate) fn out(py: Python<'_>, entries: impl Into<Vec<f64>>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_vec(py, entries.into())
}

/// A matrix with this number of columns for Python, from its entries by rows.
pub(crate) fn out_rows(
    py: Python<'_>,
    entries: Vec<f64>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = entries.len().checked_div(columns).unwrap_or_default();
    PyArray1::from_vec(py, entries).reshape([rows, columns])
}

/// A matrix for Python.
pub(crate) fn out_matrix<'py>(
    py: Python<'py>,
    matrix: &DMatrix<f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = matrix.shape();
    PyArray1::from_vec(py, matrix.transpose().as_slice().to_vec()).reshape([rows, columns])
}

/// The first components of the vectors of contacts.
pub(crate) fn out_contacts<'py>(
    py: Python<'py>,
    vectors: &[Vector3<f64>],
    components: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let entries = vectors.iter().flat_map(|vector| vector.iter().take(components)).copied();
    out_rows(py, entries.collect(), components)
}
