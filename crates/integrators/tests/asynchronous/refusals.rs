//! Invalid regions are refused.

use crate::bars::{LINEAR, bar};
use crate::problems::bar::{Span, with};
use crate::problems::{cuboid, method, solid};
use integrators::{Options, gain, numbers_of_regions};
use model::{ModelError, Region, RegionError};
use numerics::linear::LinearError;

#[test]
fn regions_that_cannot_be_are_refused() {
    let refused = |regions: &[Span]| match with(bar(LINEAR), regions).build() {
        Err(ModelError::Region(error)) => error,
        _ => panic!("built"),
    };
    assert_eq!(refused(&[(0.6, 0.8, 0)]), RegionError::Ratio { region: 0, ratio: 0 });
    assert_eq!(refused(&[(0.6, 0.8, 1001)]), RegionError::Ratio { region: 0, ratio: 1001 });
    // All its nodes are fixed.
    assert_eq!(refused(&[(0.6, 0.8, 2), (0.0, 0.0, 2)]), RegionError::Empty { region: 1 });
    assert!(matches!(refused(&[(0.6, 0.8, 2), (0.5, 0.6, 3)]), RegionError::Shared { regions: [0, 1], .. }));
    let error = refused(&[(0.6, 0.8, 2), (0.3, 0.5, 3)]);
    // Six tets per cell, in the four cells between the two.
    let RegionError::Touching { regions: [0, 1], elements, count: 24 } = &error else { panic!("{error:?}") };
    let blueprint = bar(LINEAR);
    assert_eq!(elements.len(), RegionError::NAMED);
    for (kind, number) in elements {
        let x = || blueprint.mesh.tets[*number].iter().map(|&i| blueprint.mesh.points[i as usize][0]);
        assert!(*kind == "tet" && x().any(|x| x > 0.6 - 1e-9) && x().any(|x| x < 0.5 + 1e-9), "{kind} {number}");
    }
    let named: Vec<String> = elements.iter().map(|(_, number)| format!("tet {number}")).collect();
    let text = format!("regions 1 and 2 touch: {} and 19 more have nodes of both;", named.join(", "));
    assert!(error.to_string().contains(&text), "{error}");
    let one = RegionError::Touching { regions: [0, 2], elements: vec![("spring", 7)], count: 1 };
    assert!(one.to_string().contains("regions 1 and 3 touch: spring 7 has nodes of both;"), "{one}");
}

#[test]
fn regions_that_are_too_large_are_refused_before_anything_is_made() {
    // The upper two layers of nodes of a plate border on the 8281 of the next.
    let mut blueprint = solid(cuboid([9.0, 9.0, 0.3], [90, 90, 3]), "linear", 1e5, 0.3, 1000.0);
    let points = blueprint.mesh.points.iter().enumerate();
    let nodes = points.filter(|(_, p)| p[2] > 0.2 - 1e-9).map(|(i, _)| i as u32).collect();
    blueprint.regions = vec![Region { nodes, ratio: 4 }];
    let model = blueprint.build().unwrap();
    assert!(numbers_of_regions(&model) > 8281.0 * 8281.0 * 27.0 - 1.0);
    let refused = (method("asynchronous-backward-euler").make)(&model, &Options::default()).err().unwrap();
    assert!(matches!(refused, LinearError::PartTooLarge { part: 0, interface: 8281, .. }), "{refused:?}");
    assert!(refused.to_string().contains("region 1 would take 14.8 GB, for 8281 nodes"), "{refused}");
    assert_eq!(gain(&model), 0.0);
}
