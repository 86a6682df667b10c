//! The scene that `pliant new` writes.

use integrators::METHODS;
use model::material::MATERIALS;
use model::mesh::generate::GENERATORS;

/// Returns a commented scene to begin with: a bar that hangs from a wall and swings.
pub fn starter() -> String {
    let list = |names: Vec<&str>| names.join(", ");
    SCENE
        .replace("METHODS", &list(METHODS.iter().map(|method| method.name).collect()))
        .replace("MATERIALS", &list(MATERIALS.iter().map(|material| material.name).collect()))
        .replace("GENERATORS", &list(GENERATORS.iter().map(|generator| generator.name).collect()))
}

const SCENE: &str = r#"# A scene: bodies, loads and constraints, and a time integrator.
# Keys are strict: a misspelt one is reported with its line. Lines that begin with # are alternatives to try.

title = "A bar that swings"

[run]
duration = 1.0                  # [s] simulated time
frame_rate = 60.0               # frames per simulated second
# on_divergence = "halve"       # when a step fails: try again with shorter ones, instead of stopping

[world]
gravity = [0.0, 0.0, -9.81]     # [m/s^2]
# mass = "consistent"           # instead of lumped at the nodes

[integrator]
# One of METHODS
method = "backward-euler"
step = 0.01                     # [s]
# stiffness = "projected"       # without negative eigenvalues: robust for large deformations

# [damping]                     # Rayleigh: D = mass M + stiffness K
# mass = 0.1                    # [1/s]
# stiffness = 0.001             # [s]

[[body]]
name = "bar"
# One of GENERATORS
# shape = { generator = "file", path = "my.msh" } # a mesh of your own: see pliant doctor my.msh
shape = { generator = "bar", length = 1.0, thickness = 0.2, cells_along = 30, cells_across = 6 }
# One of MATERIALS
material = { model = "neo-hookean", young = 1e6, poisson = 0.3, density = 1000.0 } # [Pa], [kg/m^3]
# position = [0.0, 0.0, 1.0]    # [m]
# rotation = { axis = [0, 1, 0], degrees = 90.0 }

# [[body.zone]]               # a part with another material
# where = { box = { min = [0.5, -inf, -inf], max = [inf, inf, inf] } }
# young = 1e7

# [[body]]                      # cloth, made of springs
# name = "cloth"
# shape = { generator = "cloth", size = [1.0, 1.0], cells = [20, 20] }
# springs = { law = "linear", stiffness = 500.0, shear = 100.0, bending = 10.0 } # [N/m]
# area_density = 0.2            # [kg/m^2]
# position = [0.0, -0.5, 0.5]

[[fix]]                         # the face at x = 0 is held
body = "bar"
where = { group = "x-" }
# where = { ball = { center = [0.0, 0.0, 0.0], radius = 0.2 } }

# [[script]]                    # the face at x = 1 is moved
# body = "bar"
# where = { group = "x+" }
# motion = "keyframes"
# times = [0.0, 0.5]
# offsets = [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]

# [[load]]                      # a push
# kind = "force"
# value = [0.0, 20.0, 0.0]      # [N]
# profile = "pulse"
# duration = 0.2

# [[initial]]                   # begin twisted
# kind = "twist"
# axis = [1, 0, 0]
# degrees_per_metre = 90.0

# [[contact]]                   # a floor
# kind = "penalty"
# obstacle = { plane = { point = [0.0, 0.0, -0.5], normal = [0, 0, 1] } }
# stiffness = 1e4               # [N/m]

# [expect]                      # what the run must give
# outcome = "done"
"#;
