//! The choice of a solver for the [linear complementarity problem](Problem), as a value.

use nalgebra::DVector;

use super::{Problem, Report, fischer_burmeister, lemke, projected_gauss_seidel};

/// The result of a [`Method`], whatever the status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The answer or best iterate (length `n`).
    pub z: DVector<f64>,
    /// `M z + q` (length `n`).
    pub w: DVector<f64>,
    /// The status at the end of the solve.
    pub report: Report,
}

/// Defines [`Method`] and its [`Error`] from one line per solver: variant, name in files, module, function and
/// summary.
macro_rules! methods {
    ($($variant:ident, $name:literal, $module:ident::$solve:ident, $summary:literal;)*) => {
        /// A solver with its settings.
        ///
        /// Serialized with the method's [name](Method::name) as tag: `{"lemke": {"tolerance": 1e-10}}`.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
        #[non_exhaustive]
        pub enum Method {
            $(#[doc = concat!($summary, ".")] $variant($module::Settings),)*
        }

        /// The reason why a [`Method`] could not start.
        #[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
        #[non_exhaustive]
        pub enum Error {
            $(
                #[doc = concat!("From [`", stringify!($module), "::solve`].")]
                #[error("{name}: {0}", name = $name)]
                $variant(#[from] $module::Error),
            )*
        }

        impl Method {
            /// Every method with its default settings.
            #[must_use]
            pub fn all() -> [Self; [$($name),*].len()] {
                [$(Self::$variant($module::Settings::default())),*]
            }

            /// The method's name on the command line and in files.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// A short description for lists.
            #[must_use]
            pub const fn summary(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $summary,)*
                }
            }

            /// The same method with this maximum accepted relative residual (≥ 0).
            #[must_use]
            pub const fn with_tolerance(mut self, tolerance: f64) -> Self {
                match &mut self {
                    $(Self::$variant(settings) => settings.tolerance = tolerance,)*
                }
                self
            }

            /// Solves `problem` from `z = 0`.
            ///
            /// Callers that solve at every step should call the solver's own module, which allows them to keep a
            /// workspace or a warm start.
            ///
            /// # Errors
            ///
            /// See [`Error`]. Not converging is not an error but a status.
            ///
            /// # Example
            ///
            /// ```
            /// use nalgebra::{dmatrix, dvector};
            /// use percussion_complementarity::lcp::{Method, Problem, Status};
            ///
            /// let problem = Problem::new(dmatrix![0.5], dvector![-3.0])?;
            /// for method in Method::all() {
            ///     let solution = method.solve(&problem)?;
            ///     assert_eq!(solution.report.status, Status::Solved, "{}", method.name());
            ///     assert!((solution.z[0] - 6.0).abs() < 1e-9);
            /// }
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn solve(&self, problem: &Problem) -> Result<Solution, Error> {
                let mut z = DVector::zeros(problem.dimension());
                let report = match self {
                    $(Self::$variant(settings) => $module::$solve(problem, settings, &mut z)?,)*
                };
                Ok(Solution { w: problem.slack(&z), z, report })
            }
        }
    };
}

methods! {
    Lemke, "lemke", lemke::solve_once, "Complementary pivoting: the choice for contact problems";
    ProjectedGaussSeidel, "projected-gauss-seidel", projected_gauss_seidel::solve,
        "Sweeps over the rows, for matrices with a positive diagonal";
    FischerBurmeister, "fischer-burmeister", fischer_burmeister::solve,
        "A damped Newton method, for larger problems";
}

impl Default for Method {
    fn default() -> Self {
        Self::Lemke(lemke::Settings::default())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, dmatrix, dvector};
    use proptest::prelude::*;

    use super::*;
    use crate::lcp::{Status, enumerate};

    #[cfg(feature = "serde")]
    #[test]
    fn names_are_the_tags_of_the_file_format() {
        for method in Method::all() {
            let text = serde_json::to_string(&method).unwrap();
            assert!(text.starts_with(&format!("{{\"{}\":", method.name())), "{text}");
            assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), method);
            let short = format!("{{\"{}\":{{}}}}", method.name());
            assert_eq!(serde_json::from_str::<Method>(&short).unwrap(), method);
        }
        assert!(serde_json::from_str::<Method>(r#"{"lemke":{"tolerence":1}}"#).is_err());
    }

    #[test]
    fn errors_name_the_method() {
        let problem = Problem::new(dmatrix![0.0], dvector![1.0]).unwrap();
        let error = Method::all()[1].solve(&problem).unwrap_err();
        let expected = "projected-gauss-seidel: matrix[0][0] is 0, expected a positive number";
        assert_eq!(error.to_string(), expected);
    }

    /// `q` is so large that `z = −1` is within the tolerance; no method may return it.
    #[test]
    fn no_method_answers_with_a_negative_entry() {
        let problem = Problem::new(dmatrix![1e308], dvector![1e308]).unwrap();
        for method in Method::all() {
            assert_eq!(method.solve(&problem).unwrap().z, dvector![0.0], "{}", method.name());
        }
        let mut z = dvector![-1.0];
        let settings = projected_gauss_seidel::Settings::default();
        projected_gauss_seidel::solve(&problem, &settings, &mut z).unwrap();
        assert_eq!(z, dvector![0.0]);
    }

    proptest! {
        /// `M = AᵀA + I` has one solution, which every method finds.
        #[test]
        fn all_methods_agree_with_enumeration(
            a in prop::collection::vec(-1.0..1.0, 25), q in prop::collection::vec(-1.0..1.0, 5),
        ) {
            let a = DMatrix::from_vec(5, 5, a);
            let m = a.transpose() * &a + DMatrix::identity(5, 5);
            let problem = Problem::new(m, DVector::from_vec(q)).unwrap();
            let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
            prop_assert_eq!(all.pieces.len(), 1);
            for method in Method::all() {
                let solution = method.solve(&problem).unwrap();
                prop_assert_eq!(solution.report.status, Status::Solved);
                // λ_min ≥ 1 and ‖M‖ ≤ 26: a residual of 1e-10 is within 27 √5 · 1e-10.
                prop_assert!((&solution.z - &all.vertices[0].z).amax() <= 1e-8);
            }
        }
    }
}
