//! A small random scene: body, material, method with its parameters, step, contact, damping, start.

use integrators::{Feature, METHODS, Method};
use model::material::MATERIALS;
use model::parameter::{Kind, Range};
use std::fmt::Write;

/// Reproducible random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number with a uniform logarithm.
    fn sized(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Returns the text of a scene that is allowed, though perhaps absurd.
pub fn random_scene(seed: u64) -> String {
    let random = &mut Random(seed);
    let method = &METHODS[random.below(METHODS.len())];
    let is_small_steps = method.serves.contains(&Feature::Contact);
    let (step, steps) = (random.sized(1e-4, 0.5), 2 + random.below(14));
    let duration = step * steps as f64;
    let mut text = format!("[run]\nduration = {duration:e}\n");
    if random.chance(20) {
        text += "on_divergence = \"halve\"\n";
    }
    if random.chance(20) {
        text += "[world]\ngravity = [0.0, 0.0, 0.0]\n";
    }
    write!(text, "[integrator]\nmethod = \"{}\"\nstep = {step:e}\n", method.name).unwrap();
    options(random, method, &mut text);
    if method.serves.contains(&Feature::Regions) && random.chance(70) {
        let ratio = random.sized(2.0, 60.0) as usize;
        let place = "{ half_space = { point = [0.06, 0.0, 0.0], normal = [1.0, 0.0, 0.0] } }";
        write!(text, "[[integrator.region]]\nwhere = {place}\nratio = {ratio}\n").unwrap();
    }
    if random.chance(40) {
        let (mass, stiffness) = (random.sized(1e-3, 10.0), random.sized(1e-5, 0.1));
        write!(text, "[damping]\nmass = {mass:e}\nstiffness = {stiffness:e}\n").unwrap();
        if method.serves.contains(&Feature::DampingAtRest) && random.chance(50) {
            text += "reference = \"rest\"\n";
        }
    }
    let count = if is_small_steps { 1 + random.below(2) } else { 1 };
    for body in 0..count {
        self::body(random, body, &mut text);
    }
    if random.chance(50) {
        text += "[[fix]]\nwhere = { half_space = { point = [-0.07, 0.0, 0.0], normal = [-1.0, 0.0, 0.0] } }\nbody = \"body-0\"\n";
    }
    start(random, &mut text);
    contact(random, is_small_steps, &mut text);
    text
}

/// Adds some parameters of the method, within their ranges.
fn options(random: &mut Random, method: &Method, text: &mut String) {
    for option in method.parameters {
        if !random.chance(25) {
            continue;
        }
        let value = match option.kind {
            Kind::Number { range: Range::Within { min, max }, .. } if min > 0.0 => {
                format!("{:e}", random.sized(min, max))
            }
            Kind::Number { range: Range::Within { min, max }, .. }
            | Kind::NumberOr { range: Range::Within { min, max }, .. } => {
                format!("{:e}", random.between(min, max))
            }
            Kind::Count { range: [min, max], .. } | Kind::CountOr { range: [min, max], .. } => {
                format!("{}", min + random.sized(1.0, f64::from((max - min).clamp(2, 40))) as u32)
            }
            Kind::Flag => format!("{}", random.chance(50)),
            Kind::Word { choices } => format!("\"{}\"", random.of(choices)),
            kind => panic!("{}: no method has a parameter of the kind {kind:?}", option.name),
        };
        writeln!(text, "{} = {value}", option.name).unwrap();
    }
    if random.chance(30) {
        *text += "stiffness = \"projected\"\n";
    }
}

/// Adds a body of some ten centimetres around the origin.
fn body(random: &mut Random, number: usize, text: &mut String) {
    let [a, b, c] = [(); 3].map(|()| 1 + random.below(4));
    let shape = match random.below(6) {
        0 => format!("{{ generator = \"cloth\", size = [0.2, 0.2], cells = [{}, {}] }}", 2 * a, 2 * b),
        1 => format!("{{ generator = \"ball\", radius = 0.1, resolution = {} }}", 2 + a / 2),
        2 => format!("{{ generator = \"chain\", links = {} }}", 2 * a),
        _ => format!("{{ generator = \"box\", size = [0.2, 0.1, 0.1], cells = [{}, {b}, {c}] }}", 2 * a),
    };
    let height = 0.3 * number as f64 + random.between(-0.1, 0.2);
    write!(text, "[[body]]\nname = \"body-{number}\"\nshape = {shape}\nposition = [-0.1, -0.05, {height:e}]\n")
        .unwrap();
    if shape.contains("cloth") || shape.contains("chain") {
        let [stiffness, density] = [random.sized(1e-2, 1e7), random.sized(1e-3, 10.0)];
        write!(text, "springs = {{ stiffness = {stiffness:e} }}\nline_density = {density:e}\n").unwrap();
        return;
    }
    let material = &MATERIALS[random.below(MATERIALS.len())];
    let [young, density] = [random.sized(1e2, 1e12), random.sized(1.0, 2e4)];
    let poisson = random.of(&[0.0, 0.1, 0.3, 0.45, 0.49, 0.499]);
    let sample = (material.sample)(young, poisson).into_iter().map(|(key, value)| format!(", {key} = {value}"));
    let (name, sample) = (material.name, sample.collect::<String>());
    writeln!(text, "material = {{ model = \"{name}\"{sample}, density = {density:e} }}").unwrap();
}

/// Adds initial twists, stretches, shifts and velocities.
fn start(random: &mut Random, text: &mut String) {
    if random.chance(30) {
        let degrees = random.between(-2000.0, 2000.0);
        write!(text, "[[initial]]\nkind = \"twist\"\naxis = [1.0, 0.0, 0.0]\ndegrees_per_metre = {degrees:e}\n")
            .unwrap();
    }
    if random.chance(20) {
        let [a, b, c] = [(); 3].map(|()| random.between(0.5, 2.0));
        write!(text, "[[initial]]\nkind = \"stretch\"\nfactors = [{a:e}, {b:e}, {c:e}]\n").unwrap();
    }
    if random.chance(50) {
        let [a, b, c] = [(); 3].map(|()| random.between(-5.0, 5.0));
        let spin = random.between(-50.0, 50.0);
        write!(
            text,
            "[[initial]]\nkind = \"velocity\"\nlinear = [{a:e}, {b:e}, {c:e}]\nangular = [0.0, 0.0, {spin:e}]\n"
        )
        .unwrap();
    }
}

/// Adds penalties for any method; constraints, rigid bodies and contact among bodies where the method supports them.
fn contact(random: &mut Random, is_small_steps: bool, text: &mut String) {
    if random.chance(60) {
        let stiffness = random.sized(1.0, 1e8);
        let obstacle = random.of(&[
            "{ plane = { point = [0.0, 0.0, -0.1], normal = [0.0, 0.0, 1.0] } }",
            "{ ball = { center = [0.0, 0.0, -0.3], radius = 0.2 } }",
        ]);
        write!(text, "[[contact]]\nkind = \"penalty\"\nstiffness = {stiffness:e}\nobstacle = {obstacle}\n").unwrap();
    }
    if !is_small_steps {
        return;
    }
    if random.chance(40) {
        let obstacle = random.of(&[
            "{ plane = { point = [0.0, 0.0, -0.1], normal = [0.0, 0.1, 1.0] } }",
            "{ box = { center = [0.0, 0.0, -0.2], size = [1.0, 1.0, 0.1] } }",
            "{ capsule = { from = [-0.2, 0.0, -0.3], to = [0.2, 0.0, -0.3], radius = 0.15 } }",
        ]);
        let friction = random.between(0.0, 1.0);
        write!(text, "[[contact]]\nkind = \"constraint\"\nfriction = {friction:e}\nobstacle = {obstacle}\n").unwrap();
    }
    if random.chance(40) {
        *text += "[collisions]\nfriction = 0.3\n";
    }
    for number in 0..random.below(3) {
        let [mass, x, z] = [random.sized(1e-3, 1e3), random.between(-0.3, 0.3), random.between(-0.2, 0.6)];
        let shape = random.of(&[
            "{ kind = \"box\", size = [0.1, 0.2, 0.05] }",
            "{ kind = \"ball\", radius = 0.07 }",
            "{ kind = \"capsule\", length = 0.2, radius = 0.05 }",
        ]);
        let place = format!("position = [{x:e}, 0.3, {z:e}]");
        write!(text, "[[rigid]]\nname = \"rigid-{number}\"\nshape = {shape}\n{place}\nmass = {mass:e}\n").unwrap();
    }
}
