//! Positions and orientations in [`Attributes`].

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::{
    Error,
    compiler::Compiler,
    numbers::{Attributes, onto_z, quaternion},
};

impl Attributes<'_> {
    /// The rotation in `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`, whichever the element itself has, or else its class.
    pub(super) fn rotation(
        &self,
        compiler: &Compiler,
    ) -> Result<Option<UnitQuaternion<f64>>, Error> {
        let forms = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let own = forms.iter().filter(|form| self.element.attribute(form).is_some()).count();
        if own > 1 {
            let expected = "one form of orientation alone".to_owned();
            let second = forms.iter().rev().find(|form| self.element.attribute(form).is_some());
            return Err(self.refuse(second.unwrap_or(&"quat"), expected));
        }
        // A form of the element replaces any form of the class.
        let of = |form: &&&str| match own {
            0 => self.text(form).is_some(),
            _ => self.element.attribute(form).is_some(),
        };
        let Some(form) = forms.iter().find(of) else { return Ok(None) };
        let count = match *form {
            "quat" | "axisangle" => 4,
            "xyaxes" => 6,
            _ => 3,
        };
        let Some(n) = self.numbers(form, [count, count])? else { return Ok(None) };
        let not_zero = || self.refuse(form, "a direction that is not zero".to_owned());
        let axis = |x: f64, y: f64, z: f64| {
            Vector3::new(x, y, z).try_normalize(1e-14).ok_or_else(not_zero)
        };
        Ok(Some(match *form {
            "quat" => quaternion(&n).ok_or_else(not_zero)?,
            "axisangle" => {
                UnitQuaternion::from_scaled_axis(axis(n[0], n[1], n[2])? * compiler.angle(n[3]))
            }
            "euler" => compiler.euler([n[0], n[1], n[2]]),
            "xyaxes" => {
                let x = axis(n[0], n[1], n[2])?;
                let y = Vector3::new(n[3], n[4], n[5]);
                let y = (y - x * x.dot(&y)).try_normalize(1e-14).ok_or_else(not_zero)?;
                let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
                UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
            }
            _ => onto_z(&axis(n[0], n[1], n[2])?),
        }))
    }

    /// `pos` with the rotation.
    pub(super) fn pose(&self, compiler: &Compiler) -> Result<Isometry3<f64>, Error> {
        let place = self.vector("pos")?.unwrap_or_else(Vector3::zeros);
        let turn = self.rotation(compiler)?.unwrap_or_else(UnitQuaternion::identity);
        Ok(Isometry3::from_parts(Translation3::from(place), turn))
    }
}
