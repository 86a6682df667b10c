//! A method outside of this crate: a stepper, a row of facts, and a parameter of its own.

use integrators::{
    EnergyBehaviour, Family, METHODS, Method, OneMode, Options, Setting, StepError, StepReport, Stepper, parameters,
};
use model::mesh::Mesh;
use model::parameter::{Kind, Parameter, Preset, Value};
use model::{Blueprint, Model, State};

/// A parameter that this crate does not know.
const SHARE: Setting<f64> = Setting::new(Parameter {
    name: "share",
    kind: Kind::within(0.0, 1.0),
    default: Preset::Numbers(&[1.0]),
    doc: "share of the velocity kept per step",
    unit: "",
});

/// Moves nodes along their velocities, of which a share is left after each step.
struct Coasting {
    share: f64,
}

impl Stepper for Coasting {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        for i in 0..model.dofs() {
            state.v[i] *= self.share;
            state.x[i] += h * state.v[i];
        }
        state.t += h;
        Ok(StepReport::default())
    }
}

/// A method of somebody else, with a parameter of its own.
static COASTING: Method = Method {
    name: "coasting",
    aliases: &[],
    description: "no forces, and less velocity after each step",
    citation: "",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Explicit,
    parameters: &[SHARE.parameter],
    one_mode: OneMode { roots: |_| 1, radius: |_, _| 1.0 },
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |options| options.get(&SHARE) == 1.0,
    serves: &[],
    make: |_, options| Ok(Box::new(Coasting { share: options.get(&SHARE) })),
};

#[test]
fn a_method_outside_of_this_crate_has_parameters_of_its_own() {
    let mesh = Mesh { points: vec![[0.0; 3]], ..Mesh::default() };
    let blueprint = Blueprint { mesh, node_masses: vec![(0, 1.0)], ..Blueprint::default() };
    let model = blueprint.build().unwrap();
    let mut state = model.state_at_rest();
    state.v[0] = 1.0;
    let mut options = Options::default().with(&parameters::ITERATIONS, 3);
    assert!((COASTING.conserves_momentum)(&options) && COASTING.reads(&SHARE.parameter));
    assert!(!options.put(&SHARE.parameter, &Value::from(2.0)), "out of range");
    assert!(options.put(&SHARE.parameter, &Value::from(0.5)));
    let mut stepper = (COASTING.make)(&model, &options).unwrap();
    (0..2).for_each(|_| _ = stepper.step(&model, &mut state, 0.1).unwrap());
    assert_eq!(state.v[0], 0.25);
    // Its parameter changes nothing for others, and not theirs.
    assert_eq!(options.get(&parameters::ITERATIONS), 3);
    assert!(METHODS.iter().all(|method| !method.reads(&SHARE.parameter)));
}
