//! Stiff bodies that turn: a bar hinged along an edge and a bar that spins freely, beside the rigid body that they nearly are.
//!
//! A step that is linear in the displacements turns a body along a tangent and stretches it. Methods that linearise once per
//! step with the exact stiffness then hold a stiff body fast; with the turned stiffness they do not.

mod problems;

use integrators::{Family, METHODS, Method, Modes, Options, parameters};
use model::energy::Stiffness;
use problems::turning::{Turning, hinged, spinning};

/// Methods that one linearisation with the exact stiffness holds fast or breaks.
const NUMB_WITH_EXACT: [&str; 5] =
    ["linearly-implicit-euler", "siere", "asynchronous-backward-euler", "schroeder", "gautschi"];
/// Methods that fail with the turned stiffness too: gautschi does not read it.
const NUMB_WITH_TURNED: [&str; 1] = ["gautschi"];
/// Methods whose weights amplify the bending of a bar that is released, however stiff it is and with any stiffness.
const NUMB_WHEN_HINGED: [&str; 1] = ["epirk4s3"];

/// Largest error of the angle [degrees]: backward Euler loses 7 of 128 degrees by damping the fall itself, and at 1e6 Pa the bar
/// bends by 4, with any method.
fn tolerance(method: &Method) -> f64 {
    if method.order == 1 { 9.0 } else { 5.0 }
}

/// Tests that a method turns a body as the rigid one turns; returns the angle [degrees] too, for messages.
fn turns(turning: &Turning, method: &Method, h: f64) -> (bool, Option<f64>) {
    let options = Options::default().with(&parameters::MODES, Modes::Auto).with(&parameters::PRODUCTS, 20_000);
    let steps = (turning.duration / h).round() as usize;
    let angle = turning.end(method, &options, steps).map(|end| turning.angle(&end));
    (angle.is_some_and(|angle| (angle - turning.rigid).abs() < tolerance(method)), angle)
}

/// Methods with steps that resolve no stiff vibration: all but the explicit ones, and small-steps, whose few passes leave a stiff
/// body soft.
fn implicit_methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| !matches!(method.family, Family::Explicit | Family::PositionBased))
}

#[test]
fn stiff_bodies_turn_with_the_turned_stiffness() {
    let able = || implicit_methods().filter(|method| !NUMB_WITH_TURNED.contains(&method.name));
    for young in [1e6, 1e8, 1e10] {
        let (hinged, spinning) = (hinged(young, Stiffness::Turned), spinning(young, Stiffness::Turned));
        for method in able() {
            let has_stages = method.reads(&parameters::FRAME.parameter) && method.order > 2;
            for (what, turning, h) in [("hinged", &hinged, 1.0 / 60.0), ("spinning", &spinning, 0.01)] {
                // The spaces of methods with stages are long at 1e10 Pa: `frame.rs` tests one of them there.
                if (has_stages && young > 1e9) || (what == "hinged" && NUMB_WHEN_HINGED.contains(&method.name)) {
                    continue;
                }
                let (is_right, angle) = turns(turning, method, h);
                println!("{what} {young:e} {}: {angle:.1?} of {:.1}", method.name, turning.rigid);
                assert!(is_right, "{what} {young:e} {}: {angle:?} of {}", method.name, turning.rigid);
            }
        }
    }
}

#[test]
fn with_the_exact_stiffness_methods_of_one_linearisation_hold_stiff_bodies_fast() {
    let turning = spinning(1e8, Stiffness::Exact);
    for method in implicit_methods() {
        let (is_right, angle) = turns(&turning, method, 0.01);
        println!("{}: {angle:.1?} of {:.1}", method.name, turning.rigid);
        assert_eq!(is_right, !NUMB_WITH_EXACT.contains(&method.name), "{}: {angle:?}", method.name);
    }
    // Those that nothing here helps are listed, not hidden.
    let turning = spinning(1e8, Stiffness::Turned);
    for method in NUMB_WITH_TURNED.map(|name| integrators::find(name).unwrap()) {
        let (is_right, angle) = turns(&turning, method, 0.01);
        assert!(!is_right, "{}: {angle:?} is right, take it off the list", method.name);
    }
}

/// The error does not grow with stiffness: the angle at 1e10 Pa is that at 1e7 Pa.
#[test]
fn the_turned_step_is_flat_in_stiffness() {
    for name in ["linearly-implicit-euler", "asynchronous-backward-euler", "siere"] {
        let method = integrators::find(name).unwrap();
        let [soft, stiff] = [1e7, 1e10].map(|young| {
            let turning = spinning(young, Stiffness::Turned);
            let (_, angle) = turns(&turning, method, 0.01);
            (angle.unwrap() - turning.rigid).abs()
        });
        println!("{name}: off by {soft:.3} and {stiff:.3} degrees");
        assert!(stiff < 1.2 * soft + 0.3, "{name}: {soft} and {stiff} degrees");
    }
}
