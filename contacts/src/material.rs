//! Materials of colliders, and how two of them combine.

use crate::MaterialError;

/// Surface properties of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of Coulomb friction, not negative; 0.5 is usual.
    pub friction: f64,
    /// Coefficient of restitution, not negative: 0 keeps nothing of the approach speed, 1 all.
    pub restitution: f64,
    /// Contact stiffness (N/m); `None` leaves it to the solver.
    pub stiffness: Option<f64>,
    /// Contact damping (N·s/m); `None` leaves it to the solver.
    pub damping: Option<f64>,
    /// The caller's number of what it is made of, from 1; 0 is nothing in particular. Entries of the
    /// table of pairs go by it ([`MaterialTable`](crate::MaterialTable)).
    pub kind: u32,
}

impl Default for Material {
    fn default() -> Material {
        Material { friction: 0.5, restitution: 0.0, stiffness: None, damping: None, kind: 0 }
    }
}

impl Material {
    /// The material, if it can be used.
    ///
    /// # Errors
    /// [`MaterialError::Coefficient`] names the first coefficient that is negative or not finite.
    pub fn checked(self) -> Result<Material, MaterialError> {
        check(self.friction, self.restitution, self.stiffness, self.damping)?;
        Ok(self)
    }
}

fn check(
    friction: f64,
    restitution: f64,
    stiffness: Option<f64>,
    damping: Option<f64>,
) -> Result<(), MaterialError> {
    let given = [
        ("friction", Some(friction)),
        ("restitution", Some(restitution)),
        ("stiffness", stiffness),
        ("damping", damping),
    ];
    for (coefficient, value) in given {
        if let Some(value) = value
            && !(value.is_finite() && value >= 0.0)
        {
            return Err(MaterialError::Coefficient { coefficient, value });
        }
    }
    Ok(())
}

/// How one coefficient of two materials becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineRule {
    /// (a + b) / 2.
    Average,
    /// √(a · b).
    GeometricMean,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// a · b.
    Multiply,
}

impl CombineRule {
    /// Combines two coefficients (not negative).
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            CombineRule::Average => 0.5 * (a + b),
            CombineRule::GeometricMean => (a * b).sqrt(),
            CombineRule::Min => a.min(b),
            CombineRule::Max => a.max(b),
            CombineRule::Multiply => a * b,
        }
    }
}

/// How the coefficients of two materials become those of a contact. Stiffness and damping act in
/// series, as two springs behind each other do: 1/k = 1/k_a + 1/k_b; where only one side gives one,
/// it is taken as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CombineRules {
    /// For friction; the geometric mean is usual.
    pub friction: CombineRule,
    /// For restitution; the greater is usual.
    pub restitution: CombineRule,
}

impl Default for CombineRules {
    fn default() -> CombineRules {
        CombineRules { friction: CombineRule::GeometricMean, restitution: CombineRule::Max }
    }
}

/// The coefficients of a contact between two materials, in the units of [`Material`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMaterial {
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Contact stiffness (N/m).
    pub stiffness: Option<f64>,
    /// Contact damping (N·s/m).
    pub damping: Option<f64>,
}

impl PairMaterial {
    /// The coefficients, if they can be used.
    ///
    /// # Errors
    /// [`MaterialError::Coefficient`] names the first coefficient that is negative or not finite.
    pub fn checked(self) -> Result<PairMaterial, MaterialError> {
        check(self.friction, self.restitution, self.stiffness, self.damping)?;
        Ok(self)
    }
}

impl CombineRules {
    /// The coefficients of a contact between `a` and `b`; the order does not matter.
    pub fn combine(&self, a: &Material, b: &Material) -> PairMaterial {
        PairMaterial {
            friction: self.friction.combine(a.friction, b.friction),
            restitution: self.restitution.combine(a.restitution, b.restitution),
            stiffness: in_series(a.stiffness, b.stiffness),
            damping: in_series(a.damping, b.damping),
        }
    }
}

fn in_series(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) if a + b > 0.0 => Some(a * (b / (a + b))),
        (Some(_), Some(_)) => Some(0.0),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_named() {
        let bad = [
            ("friction", Material { friction: f64::NAN, ..Material::default() }),
            ("restitution", Material { restitution: -0.1, ..Material::default() }),
            ("stiffness", Material { stiffness: Some(f64::INFINITY), ..Material::default() }),
            ("damping", Material { damping: Some(-1.0), ..Material::default() }),
        ];
        for (name, material) in bad {
            let Err(MaterialError::Coefficient { coefficient, .. }) = material.checked() else {
                panic!("{name} was taken");
            };
            assert_eq!(coefficient, name);
        }
        assert_eq!(Material::default().checked(), Ok(Material::default()));
    }

    #[test]
    fn rules_combine_as_they_say() {
        let values = [
            (CombineRule::Average, 0.5),
            (CombineRule::GeometricMean, 0.4),
            (CombineRule::Min, 0.2),
            (CombineRule::Max, 0.8),
        ];
        for (rule, expected) in values {
            assert!((rule.combine(0.2, 0.8) - expected).abs() < 1e-12, "{rule:?}");
        }
        assert!((CombineRule::Multiply.combine(0.2, 0.8) - 0.16).abs() < 1e-12);
    }

    #[test]
    fn springs_act_in_series() {
        let spring = |k| Material { stiffness: k, ..Material::default() };
        let rules = CombineRules::default();
        assert_eq!(rules.combine(&spring(Some(2.0)), &spring(Some(2.0))).stiffness, Some(1.0));
        assert_eq!(rules.combine(&spring(None), &spring(Some(3.0))).stiffness, Some(3.0));
        assert_eq!(rules.combine(&spring(Some(0.0)), &spring(Some(0.0))).stiffness, Some(0.0));
        assert_eq!(rules.combine(&spring(None), &spring(None)).stiffness, None);
    }
}
