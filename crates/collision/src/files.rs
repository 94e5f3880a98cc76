//! The file format of vectors and hulls: lists of numbers, checked when they are read.

/// Vectors as lists of entries.
pub(crate) mod vector {
    use nalgebra::SVector;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer, const N: usize>(
        vector: &SVector<f64, N>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(vector.iter())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<SVector<f64, N>, D::Error> {
        let entries = Vec::<f64>::deserialize(deserializer)?;
        let expected = format!("{N} numbers");
        let entries = <[f64; N]>::try_from(entries)
            .map_err(|entries| D::Error::invalid_length(entries.len(), &expected.as_str()))?;
        Ok(entries.into())
    }
}

/// Hulls as lists of points.
pub(crate) mod hull {
    use std::sync::Arc;

    use nalgebra::Vector3;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use crate::Hull;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Points {
        points: Vec<[f64; 3]>,
    }

    pub(crate) fn serialize<S: Serializer>(hull: &Hull, to: S) -> Result<S::Ok, S::Error> {
        let points = hull.vertices().iter().map(|vertex| (*vertex).into()).collect();
        Points { points }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Hull>, D::Error> {
        let Points { points } = Points::deserialize(from)?;
        let points: Vec<_> = points.into_iter().map(Vector3::from).collect();
        #[cfg(feature = "hulls")]
        return Hull::new(&points).map(Arc::new).map_err(D::Error::custom);
        #[cfg(not(feature = "hulls"))]
        Err(D::Error::custom(format!(
            "hull of {} points, expected another shape: this program was built without the feature `hulls`",
            points.len()
        )))
    }
}
