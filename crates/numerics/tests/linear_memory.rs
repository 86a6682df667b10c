//! The second factorisation and the second solve allocate nothing that grows with the matrix.

mod counting;

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, Factor, LinearSolver, Pcg, Stop, Structure};
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
        let mut rhs = vec![1.0; 4 * definite.dim()];
        let mut everything = || {
            for a in [&definite, &indefinite] {
                direct.prepare(a).unwrap();
                direct.solve(a, &mut rhs, 4).unwrap();
                direct.solve(a, &mut rhs[..definite.dim()], 1).unwrap();
            }
            single.factorise(&definite).unwrap();
            double.factorise(&definite).unwrap();
            for columns in [4, 1] {
                single.solve(&mut rhs[..columns * definite.dim()], columns, None);
                double.solve(&mut rhs[..columns * definite.dim()], columns, None);
            }
            iterative.prepare(&definite).unwrap();
            iterative.solve(&definite, &mut rhs, 4).unwrap();
        };
        everything();
        let [bytes, _] = counting::allocated(&mut everything);
        assert!(bytes < 5000, "{bytes} bytes for {rows} rows");
    }
}
