//! Regions that are no regions.

use crate::bars::{LINEAR, bar};
use crate::problems::bar::{Span, with};
use model::{ModelError, RegionError};

#[test]
fn regions_that_cannot_be_are_refused() {
    let refused = |regions: &[Span]| match with(bar(LINEAR), regions).build() {
        Err(ModelError::Region(error)) => error,
        _ => panic!("built"),
    };
    assert_eq!(refused(&[(0.6, 0.8, 0)]), RegionError::Ratio { region: 0, ratio: 0 });
    assert_eq!(refused(&[(0.6, 0.8, 1001)]), RegionError::Ratio { region: 0, ratio: 1001 });
    // All nodes of it are fixed.
    assert_eq!(refused(&[(0.6, 0.8, 2), (0.0, 0.0, 2)]), RegionError::Empty { region: 1 });
    assert!(matches!(refused(&[(0.6, 0.8, 2), (0.5, 0.6, 3)]), RegionError::Shared { regions: [0, 1], .. }));
    let error = refused(&[(0.6, 0.8, 2), (0.3, 0.5, 3)]);
    // Six tets a cell, in the four cells between the two.
    assert!(matches!(error, RegionError::Touching { regions: [0, 1], element: "tet", count: 24, .. }), "{error:?}");
    assert!(error.to_string().contains("regions 1 and 2 touch: tet "), "{error}");
    assert!(error.to_string().contains("(and 23 more) has nodes of both"), "{error}");
}
