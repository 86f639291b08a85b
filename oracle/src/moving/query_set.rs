//! Queries with rational truth, as public sets have them.
//!
//! A file has eight rows for each query: where its four vertices begin, then where they end. A row is
//! `x_num,x_den,y_num,y_den,z_num,z_den,truth`, all integers in decimals, the truth 1 where the features share a point and the same in all
//! eight rows. Of a vertex and a face the vertex comes first; of two edges the ends of one and then of the other.
//!
//! Source: Wang, Ferguson, Schneider, Jiang, Attene, Panozzo, "A Large-scale Benchmark and an Inclusion-based Algorithm for
//! Continuous Collision Detection", 2021.

use std::io::{BufRead, Write};

use nalgebra::Point3;
use num_bigint::{BigInt, Sign};

use super::first_contact::{FeatureKind, MovingFeatures};
use super::rational::Rational;

/// Rows of a query.
const ROWS: usize = 8;

/// Columns of a row.
const COLUMNS: usize = 7;

/// Two features in motion, and whether they meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RationalQuery {
    /// Where the vertices begin.
    pub from: [[Rational; 3]; 4],
    /// Where they end.
    pub to: [[Rational; 3]; 4],
    /// Whether they share a point at some time, begin and end included.
    pub meets: bool,
}

/// A file of queries that cannot be read.
#[derive(Debug)]
pub enum QuerySetError {
    /// The file could not be read.
    Read(std::io::Error),
    /// A row has another number of columns.
    Columns {
        /// The row, from 1 on.
        line: usize,
        /// How many it has.
        found: usize,
    },
    /// A column is no integer.
    Number {
        /// The row, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
        /// What stands there.
        text: String,
    },
    /// A denominator is not positive.
    Denominator {
        /// The row, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
    },
    /// The truth is neither 0 nor 1, or not that of the query's first row.
    Truth {
        /// The row, from 1 on.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// The last query has too few rows.
    Incomplete {
        /// The last row, from 1 on.
        line: usize,
        /// How many rows the query has.
        rows: usize,
    },
}

impl std::fmt::Display for QuerySetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            QuerySetError::Read(source) => write!(f, "queries cannot be read: {source}"),
            QuerySetError::Columns { line, found } => write!(
                f,
                "line {line}: {found} columns; a row is x_num,x_den,y_num,y_den,z_num,z_den,truth, {COLUMNS} columns"
            ),
            QuerySetError::Number { line, column, text } => {
                write!(f, "line {line}, column {column}: {text:?}; it must be an integer in decimals")
            }
            QuerySetError::Denominator { line, column } => {
                write!(f, "line {line}, column {column}: a denominator must be positive")
            }
            QuerySetError::Truth { line, text } => {
                write!(
                    f,
                    "line {line}: truth {text:?}; it must be 0 or 1, the same in all {ROWS} rows of a query"
                )
            }
            QuerySetError::Incomplete { line, rows } => {
                write!(f, "line {line}: the last query has {rows} rows; a query has {ROWS}")
            }
        }
    }
}

impl std::error::Error for QuerySetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            QuerySetError::Read(source) => Some(source),
            _ => None,
        }
    }
}

impl RationalQuery {
    /// Where the vertices begin and end, in the nearest `f64`s (m).
    pub fn nearest(&self) -> [[Point3<f64>; 4]; 2] {
        [&self.from, &self.to]
            .map(|at| at.each_ref().map(|p| Point3::from(p.each_ref().map(Rational::nearest))))
    }

    /// The features.
    pub fn features(&self, kind: FeatureKind) -> MovingFeatures {
        MovingFeatures::new(kind, &self.from, &self.to)
    }

    /// A query of vertices that begin and end at finite places, with its truth.
    pub fn exactly(kind: FeatureKind, from: &[Point3<f64>; 4], to: &[Point3<f64>; 4]) -> RationalQuery {
        let exactly = |at: &[Point3<f64>; 4]| at.map(|p| [p.x, p.y, p.z].map(Rational::exactly));
        let mut query = RationalQuery { from: exactly(from), to: exactly(to), meets: false };
        query.meets = query.features(kind).first_contact().is_some();
        query
    }
}

/// Reads the queries of a file.
///
/// # Errors
/// [`QuerySetError`] names the row and says what would be right.
pub fn read_queries(from: impl BufRead) -> Result<Vec<RationalQuery>, QuerySetError> {
    let mut queries = Vec::new();
    let mut rows: Vec<([Rational; 3], bool)> = Vec::with_capacity(ROWS);
    let mut last = 0;
    for (index, text) in from.lines().enumerate() {
        let (line, text) = (index + 1, text.map_err(QuerySetError::Read)?);
        if text.trim().is_empty() {
            continue;
        }
        last = line;
        let row = row(line, &text)?;
        if rows.first().is_some_and(|first| first.1 != row.1) {
            return Err(QuerySetError::Truth { line, text: u8::from(row.1).to_string() });
        }
        rows.push(row);
        if rows.len() == ROWS {
            let at = |first: usize| std::array::from_fn(|k| rows[first + k].0.clone());
            queries.push(RationalQuery { from: at(0), to: at(4), meets: rows[0].1 });
            rows.clear();
        }
    }
    if rows.is_empty() {
        Ok(queries)
    } else {
        Err(QuerySetError::Incomplete { line: last, rows: rows.len() })
    }
}

fn row(line: usize, text: &str) -> Result<([Rational; 3], bool), QuerySetError> {
    let columns: Vec<&str> = text.split(',').map(str::trim).collect();
    if columns.len() != COLUMNS {
        return Err(QuerySetError::Columns { line, found: columns.len() });
    }
    let number = |k: usize| {
        let wrong = |_| QuerySetError::Number { line, column: k + 1, text: columns[k].to_owned() };
        columns[k].parse::<BigInt>().map_err(wrong)
    };
    let rational = |k: usize| {
        let (above, below) = (number(2 * k)?, number(2 * k + 1)?);
        let positive = below.sign() == Sign::Plus;
        if positive {
            Ok(Rational { above, below })
        } else {
            Err(QuerySetError::Denominator { line, column: 2 * k + 2 })
        }
    };
    let place = [rational(0)?, rational(1)?, rational(2)?];
    match columns[6] {
        "0" => Ok((place, false)),
        "1" => Ok((place, true)),
        text => Err(QuerySetError::Truth { line, text: text.to_owned() }),
    }
}

/// Writes queries as [`read_queries`] reads them.
///
/// # Errors
/// Those of the writer.
pub fn write_queries(queries: &[RationalQuery], to: &mut impl Write) -> std::io::Result<()> {
    for query in queries {
        for place in query.from.iter().chain(&query.to) {
            for Rational { above, below } in place {
                write!(to, "{above},{below},")?;
            }
            writeln!(to, "{}", u8::from(query.meets))?;
        }
    }
    Ok(())
}
