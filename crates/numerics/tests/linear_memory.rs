//! The second factorisation and the second solve allocate nothing that grows with the matrix.

mod counting;

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, ComponentModes, Components, Factor, LinearSolver, Pcg, Stop, Structure};
use std::sync::Arc;

/// A strip of nodes coupled to neighbours up to three away; `diagonal` decides the signs of the eigenvalues.
fn strip(pattern: &Arc<Pattern>, diagonal: f64) -> BlockMatrix {
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            (0..3).for_each(|r| a.values[slot][r][r] = if i == j { diagonal + r as f64 } else { -1.0 });
        }
    }
    a
}

#[test]
fn the_second_time_is_free() {
    for rows in [200_u32, 2000] {
        let cliques: Vec<[u32; 4]> = (0..rows - 3).map(|i| [i, i + 1, i + 2, i + 3]).collect();
        let pattern = Arc::new(Pattern::from_cliques(rows as usize, cliques.iter().map(|c| c.as_slice())));
        let (definite, indefinite) = (strip(&pattern, 7.0), strip(&pattern, 2.5));
        let mut direct = Cholesky::new(&pattern).unwrap();
        let mut iterative = Pcg::new(&pattern, Stop::at(1e-8, 1000));
        let structure = Structure::new(&pattern, &Ordering::best(&pattern)).unwrap();
        let mut single = Factor::<f32>::new(&structure).unwrap();
        let mut double = Factor::<f64>::new(&structure).unwrap();
        let mut half = Factor::in_16_bits(&structure).unwrap();
        assert!(half.bytes() < single.bytes() && single.bytes() < double.bytes());
        let mut rhs = vec![1.0; 4 * definite.dim()];
        let mut everything = || {
            for a in [&definite, &indefinite] {
                direct.prepare(a).unwrap();
                direct.solve(a, &mut rhs, 4).unwrap();
                direct.solve(a, &mut rhs[..definite.dim()], 1).unwrap();
            }
            single.factorise(&definite).unwrap();
            double.factorise(&definite).unwrap();
            half.factorise(&definite).unwrap();
            for columns in [4, 1] {
                single.solve(&mut rhs[..columns * definite.dim()], columns, None);
                double.solve(&mut rhs[..columns * definite.dim()], columns, None);
                half.solve(&mut rhs[..columns * definite.dim()], columns, None);
            }
            iterative.prepare(&definite).unwrap();
            iterative.solve(&definite, &mut rhs, 4).unwrap();
        };
        everything();
        let [bytes, _] = counting::allocated(&mut everything);
        assert!(bytes < 5000, "{bytes} bytes for {rows} rows");
    }

    // Many small components: strips of ten nodes. Threads take a few bytes per task.
    for strips in [40_u32, 400] {
        let rows = 10 * strips;
        let links = (0..rows - 3).filter(|i| i % 10 < 7);
        let cliques: Vec<[u32; 4]> = links.map(|i| [i, i + 1, i + 2, i + 3]).collect();
        let pattern = Arc::new(Pattern::from_cliques(rows as usize, cliques.iter().map(|c| c.as_slice())));
        let (definite, indefinite) = (strip(&pattern, 7.0), strip(&pattern, 2.5));
        let mut solver = Components::new(&pattern, Stop::at(1e-8, 1000)).unwrap();
        let mut modes = ComponentModes::new(&pattern, 3).unwrap();
        let mass = vec![1.0; rows as usize];
        let [mut rhs, mut sums] = [4, 2].map(|columns| vec![1.0; columns * definite.dim()]);
        let mut everything = || {
            solver.prepare(&definite).unwrap();
            solver.solve(&definite, &mut rhs, 4).unwrap();
            solver.solve(&definite, &mut rhs[..definite.dim()], 1).unwrap();
            modes.find(&definite, &mass, 1e-4);
            let (dx, dv) = sums.split_at_mut(definite.dim());
            modes.add_responses([&rhs[..definite.dim()]], |_, [w]| [w, 0.0], [dx, dv]);
        };
        everything();
        let [bytes, _] = counting::allocated(&mut everything);
        assert!(bytes < 5000, "{bytes} bytes for {strips} strips");
        // Those that are not positive definite take memory once.
        let mut everything = || {
            solver.prepare(&indefinite).unwrap();
            solver.solve(&indefinite, &mut rhs, 4).unwrap();
        };
        everything();
        let [_, kept] = counting::allocated(&mut everything);
        assert!(kept < 5000, "{kept} bytes kept for {strips} strips");
    }
}
