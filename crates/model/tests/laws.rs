//! Materials with their own parameters: compared with closed forms, and refused where the parameters are wrong.

use model::material::{
    FibreReinforced, Law, MATERIALS, MaterialError, Response, StableNeoHookean, find, law, named, sample,
};
use model::mesh::Mesh;
use model::mesh::generate::generate;
use model::parameter::{Kind, ParameterError, Preset, Value};
use model::{Blueprint, FibreError, Model, ModelError, SolidPart};
use numerics::mat3::{self, Mat3, Vec3};
use std::sync::Arc;

const BULK: f64 = 2e6;
const YOUNG: f64 = 3e4;

fn diagonal([a, b, c]: Vec3) -> Mat3 {
    [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]
}

fn mooney_rivlin(c10: f64, c01: f64) -> Arc<dyn Law> {
    named("mooney-rivlin", [("c10", c10), ("c01", c01), ("bulk", BULK)]).unwrap()
}

fn ogden(terms: &[[f64; 2]]) -> Arc<dyn Law> {
    let column = |k: usize| Value::Numbers(terms.iter().map(|term| term[k]).collect());
    named("ogden", [("mu", column(0)), ("alpha", column(1)), ("bulk", BULK.into())]).unwrap()
}

/// Computes the difference of two principal values of the Cauchy stress sigma = P F^T / J [Pa], for stretches without
/// change of volume. The pressure cancels in the difference.
fn difference(law: &dyn Law, stretches: Vec3, [a, b]: [usize; 2]) -> f64 {
    assert!((stretches[0] * stretches[1] * stretches[2] - 1.0).abs() < 1e-14);
    let p = law.response(&diagonal(stretches)).stress;
    p[a][a] * stretches[a] - p[b][b] * stretches[b]
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn mooney_rivlin_in_tension_and_shear() {
    let (c10, c01) = (2e5, 6e4);
    let law = mooney_rivlin(c10, c01);
    for l in [0.4_f64, 0.8, 1.0, 1.5, 3.0] {
        // sigma = 2 (l^2 - 1/l) (c10 + c01/l), sigma = 2 (l^2 - 1/l^4) (c10 + c01 l^2) (Treloar 1975)
        let across = 1.0 / l.sqrt();
        close(difference(&*law, [l, across, across], [0, 1]), 2.0 * (l * l - 1.0 / l) * (c10 + c01 / l));
        let thin = 1.0 / (l * l);
        close(difference(&*law, [l, l, thin], [0, 2]), 2.0 * (l * l - thin * thin) * (c10 + c01 * l * l));
        // Simple shear: sigma_xy = 2 (c10 + c01) g.
        let mut f = mat3::IDENTITY;
        f[0][1] = l;
        close(mat3::mat_mul_t(&law.response(&f).stress, &f)[0][1], 2.0 * (c10 + c01) * l);
    }
    // Equal stretches: the bulk modulus alone.
    for l in [0.8_f64, 1.2] {
        let pressure = BULK * (l * l * l - 1.0) * l * l;
        let p = law.response(&diagonal([l; 3])).stress;
        assert!((p[0][0] - pressure).abs() < 1e-9 * pressure.abs(), "{p:?}");
    }
}

#[test]
fn ogden_in_tension_and_shear() {
    // The rubber of Ogden 1972 [Pa].
    let terms = [[6.3e5, 1.3], [1.2e3, 5.0], [-1e4, -2.0]];
    let law = ogden(&terms);
    let sum = |of: &dyn Fn(f64) -> f64| terms.iter().map(|[mu, alpha]| mu * of(*alpha)).sum::<f64>();
    for l in [0.5_f64, 0.9, 1.0, 2.0, 5.0] {
        let across = 1.0 / l.sqrt();
        close(difference(&*law, [l, across, across], [0, 1]), sum(&|alpha| l.powf(alpha) - l.powf(-0.5 * alpha)));
        let thin = 1.0 / (l * l);
        close(difference(&*law, [l, l, thin], [0, 2]), sum(&|alpha| l.powf(alpha) - l.powf(-2.0 * alpha)));
        // Pure shear: held in the third direction.
        close(difference(&*law, [l, 1.0 / l, 1.0], [0, 1]), sum(&|alpha| l.powf(alpha) - l.powf(-alpha)));
        close(difference(&*law, [l, 1.0 / l, 1.0], [2, 1]), sum(&|alpha| 1.0 - l.powf(-alpha)));
    }
    close(law.moduli().mu, 0.5 * sum(&|alpha| alpha));
    assert!((law.moduli().bulk() / BULK - 1.0).abs() < 1e-12);
}

/// Returns the largest difference of density, stress and tangent, relative to the first response.
fn apart(a: &Response<f64>, b: &Response<f64>) -> f64 {
    let numbers = |r: &Response<f64>| -> Vec<f64> {
        std::iter::once(&r.density).chain(r.stress.as_flattened()).chain(r.tangent.as_flattened()).copied().collect()
    };
    let (a, b) = (numbers(a), numbers(b));
    let size = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    a.iter().zip(&b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size
}

#[test]
fn special_cases_are_each_other() {
    let mu = 4e5;
    let (young, poisson) = (9.0 * BULK * mu / (3.0 * BULK + mu), (3.0 * BULK - 2.0 * mu) / (6.0 * BULK + 2.0 * mu));
    let neo_hookean = named("neo-hookean-isochoric", [("young", young), ("poisson", poisson)]).unwrap();
    // c01 = 0, alpha = 2, and several terms of one power give the neo-Hookean law of the same form.
    let same = [mooney_rivlin(0.5 * mu, 0.0), ogden(&[[mu, 2.0]]), ogden(&[[0.25 * mu, 2.0], [0.75 * mu, 2.0]])];
    let f = [[1.3, 0.2, -0.1], [0.0, 0.8, 0.3], [0.4, -0.2, 1.1]];
    for f in [f, diagonal([1.2, 1.2, 0.7]), diagonal([0.9; 3]), mat3::IDENTITY] {
        let expected = neo_hookean.response(&f);
        for law in &same {
            let off = apart(&expected, &law.response(&f));
            assert!(off < 1e-12, "{f:?}: {off:e}");
        }
    }
    // At constant volume I2 is the sum of the stretches to the power of -2: alpha = 2 and -2 is Mooney-Rivlin.
    let (c10, c01) = (2e5, 6e4);
    let two = ogden(&[[2.0 * c10, 2.0], [-2.0 * c01, -2.0]]);
    let stretches = diagonal([1.6, 0.8, 1.0 / 1.28]);
    let (a, b) = (mooney_rivlin(c10, c01).response(&stretches).density, two.response(&stretches).density);
    close(a, b);
}

fn fibres(fibre: f64, direction: Vec3) -> Arc<dyn Law> {
    law(FibreReinforced { matrix: StableNeoHookean::new(1e5, 0.3), fibre, direction })
}

#[test]
fn fibres_pull_along_themselves_and_nowhere_else() {
    let (matrix, k) = (law(StableNeoHookean::new(1e5, 0.3)), 3e5);
    for l in [0.7_f64, 1.0, 1.4] {
        for stretches in [[l, 1.0, 1.1], [1.0, l, 0.9]] {
            let f = diagonal(stretches);
            let [with, without] = [fibres(k, [1.0, 0.0, 0.0]).response(&f), matrix.response(&f)];
            // P = k/2 (l^2 - 1) l along the fibres.
            let along = stretches[0];
            close(with.stress[0][0] - without.stress[0][0], 0.5 * k * (along * along - 1.0) * along);
            for (i, j) in (0..9).map(|n| (n / 3, n % 3)).filter(|ij| *ij != (0, 0)) {
                assert_eq!(with.stress[i][j], without.stress[i][j]);
            }
        }
    }
}

fn block(parts: impl FnOnce(&Mesh) -> Vec<SolidPart>) -> Result<Model, ModelError> {
    let size = Value::Numbers(vec![1.0, 0.6, 0.5]);
    let mesh = generate("box", [("size", size), ("cells", Value::Numbers(vec![2.0, 2.0, 2.0]))]).unwrap();
    Blueprint { solids: parts(&mesh), mesh, ..Blueprint::default() }.build()
}

fn all(mesh: &Mesh) -> Vec<u32> {
    (0..mesh.tets.len() as u32).collect()
}

/// Computes the energy of a uniform deformation [J].
fn energy(model: &Model, f: &Mat3) -> f64 {
    let x: Vec<f64> = model.rest().chunks(3).flat_map(|x| mat3::mat_vec(f, [x[0], x[1], x[2]])).collect();
    model.elastic_energy(&x)
}

#[test]
fn tets_have_the_direction_of_their_body_or_their_own() {
    let k = 3e5;
    let f = [[1.2, 0.3, 0.0], [-0.1, 0.9, 0.2], [0.0, 0.1, 1.1]];
    let volume = 0.3;
    let matrix = law(StableNeoHookean::new(1e5, 0.3)).response(&f).density;
    let of = |d: Vec3| {
        let stretched = mat3::mat_vec(&f, mat3::scale(1.0 / mat3::norm(d), d));
        matrix + k / 8.0 * (mat3::dot(stretched, stretched) - 1.0).powi(2)
    };
    let directions =
        [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [-3.0, 1.0, 2.0], [1e-200, 1e-200, 0.0]];
    for d in directions {
        let scaled = if mat3::norm(d) > 0.0 { d } else { d.map(|x| 1e200 * x) };
        let unit = mat3::scale(1.0 / mat3::norm(scaled), scaled);
        let by_material = block(|mesh| vec![SolidPart::new(all(mesh), fibres(k, unit), 1.0)]).unwrap();
        close(energy(&by_material, &f), volume * of(unit));
        // The direction of a part overrides that of its material.
        let part = |mesh: &Mesh, fibre: Vec<Vec3>| SolidPart {
            fibres: fibre,
            ..SolidPart::new(all(mesh), fibres(k, [0.6, 0.8, 0.0]), 1.0)
        };
        let by_part = block(|mesh| vec![part(mesh, vec![d])]).unwrap();
        close(energy(&by_part, &f), volume * of(unit));
        let state = by_part.state_at_rest();
        assert!(
            energy(&by_part, &mat3::rotation([0.6, 0.0, 0.8], 2.0)).abs() < 1e-9
                && by_part.elastic_energy(&state.x).abs() < 1e-9
        );
    }
    // One direction per tet: the energy is the sum over tets.
    let each =
        |mesh: &Mesh| -> Vec<Vec3> { (0..mesh.tets.len()).map(|e| [1.0, (e as f64).sin(), 0.3 * e as f64]).collect() };
    let part =
        |mesh: &Mesh| SolidPart { fibres: each(mesh), ..SolidPart::new(all(mesh), fibres(k, [1.0, 0.0, 0.0]), 1.0) };
    let mut expected = 0.0;
    let model = block(|mesh| vec![part(mesh)]).unwrap();
    let _ = block(|mesh| {
        expected = each(mesh).iter().enumerate().map(|(e, d)| mesh.tet_volume(e) * of(*d)).sum::<f64>();
        vec![part(mesh)]
    });
    close(energy(&model, &f), expected);
}

#[test]
fn fibres_that_cannot_be_are_named() {
    let wrong = |fibre: Vec<Vec3>, material: Arc<dyn Law>| {
        let part =
            |mesh: &Mesh| SolidPart { fibres: fibre.clone(), ..SolidPart::new(all(mesh), material.clone(), 1.0) };
        match block(|mesh| vec![part(mesh)]).err() {
            Some(ModelError::Fibres { part: 0, what }) => what,
            other => panic!("{other:?}"),
        }
    };
    let fibrous = || fibres(1.0, [1.0, 0.0, 0.0]);
    assert_eq!(wrong(vec![[1.0, 0.0, 0.0]], law(StableNeoHookean::new(1.0, 0.3))), FibreError::NoAxis);
    assert_eq!(wrong(vec![[1.0, 0.0, 0.0]; 3], fibrous()), FibreError::Count { tets: 48, fibres: 3 });
    for direction in [[0.0; 3], [f64::INFINITY, 0.0, 0.0]] {
        assert_eq!(wrong(vec![direction], fibrous()), FibreError::Direction(direction));
    }
}

#[test]
fn the_table_is_complete_and_errors_say_what_to_do() {
    let mut names: Vec<&str> = MATERIALS.iter().flat_map(|m| m.aliases.iter().chain([&m.name])).copied().collect();
    for name in &names {
        let facts = find(name).unwrap();
        assert!(sample(name, YOUNG, 0.3).is_ok() && !facts.description.is_empty() && !facts.citation.is_empty());
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "one word, one material: {names:?}");
    assert_eq!(find("stvk").unwrap().name, "st-venant-kirchhoff");

    let error = sample("jelly", YOUNG, 0.3).err().unwrap();
    assert!(error.to_string().contains("jelly") && error.to_string().contains("neo-hookean"), "{error}");
    let refused = |name: &str, given: &[(&'static str, Value)], words: &str| {
        let error = named(name, given.iter().cloned()).err().unwrap();
        assert!(matches!(error, MaterialError::Parameter(_)) && error.to_string().contains(words), "{error}");
    };
    for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("linear", &[("young", young.into()), ("poisson", 0.3.into())], "a body of modulus 0 or less");
    }
    for poisson in [0.5, -1.0, 0.7, f64::NAN, f64::INFINITY] {
        let words = "number above -1 and below 0.5: at 0.5 the volume could not change";
        refused("linear", &[("young", 1.0.into()), ("poisson", poisson.into())], words);
    }
    refused(
        "linear",
        &[("poisson", 0.3.into())],
        "young of the linear is missing, Young's modulus; give a number above 0 [Pa]",
    );
    refused("linear", &[("c10", 1.0.into())], "the linear has no parameter 'c10', it has young, poisson");
    let [zero, bulk] = [("c10", 0.0.into()), ("bulk", 1e6.into())];
    refused("mooney-rivlin", &[zero, ("c01", 0.0.into()), bulk.clone()], "c10 or c01 above 0");
    for alpha in [vec![2.0, 3.0], vec![]] {
        refused("ogden", &[("mu", 1.0.into()), ("alpha", Value::Numbers(alpha)), bulk.clone()], "alpha");
    }
    let four = Value::Numbers(vec![1.0; 4]);
    refused("ogden", &[("mu", four.clone()), ("alpha", four), bulk.clone()], "at most 3");
    refused("ogden", &[("mu", 1.0.into()), ("alpha", (-2.0).into()), bulk], "of the sign of their alpha");
}

#[test]
fn parameters_of_one_name_are_one_thing_and_none_is_a_key_of_regions() {
    let all = || MATERIALS.iter().flat_map(|facts| facts.parameters.iter().map(move |p| (facts, p)));
    for (facts, parameter) in all() {
        let taken = ["model", "density", "where", "stiffness", "shear", "bending"];
        assert!(!taken.contains(&parameter.name), "{}: {}", facts.name, parameter.name);
        for (other, same) in all().filter(|(_, other)| other.name == parameter.name) {
            let equal = same.kind == parameter.kind && same.unit == parameter.unit;
            assert!(equal, "{} of {} and {}", parameter.name, facts.name, other.name);
        }
        let sample = (facts.sample)(YOUNG, 0.3);
        let is_given = sample.iter().any(|(name, _)| *name == parameter.name);
        assert!(is_given || parameter.default != Preset::Required, "{}: {}", facts.name, parameter.name);
        assert!(!parameter.doc.is_empty() && facts.parameter(parameter.name).is_some());
        if !facts.isotropic {
            assert!(facts.parameters.iter().any(|p| p.kind == Kind::Direction), "{}: along what?", facts.name);
        }
    }
    let missing = named::<Value>("ogden", []).err();
    assert!(matches!(missing, Some(MaterialError::Parameter(ParameterError::Missing { parameter: "mu", .. }))));
}
