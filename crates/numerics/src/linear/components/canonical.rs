//! An order of the rows of a component that depends on its shape, hardly on its numbering.
//!
//! Two fibres of equal shape may be numbered differently. Rows get colours from their neighbours' colours (Weisfeiler,
//! Lehman 1968), the rarest kind of end is first, and the others follow by the places of their neighbours (lexicographic
//! breadth-first search, Rose, Tarjan, Lueker 1976). Ties go to the lower number. Symmetric rows may be exchanged
//! without changing the pattern; where a tie is not a symmetry, equal shapes may get different orders. They are then
//! two groups instead of one, which costs time and no accuracy.

/// Rounds of colouring: rows differ if their surroundings do within this distance.
const ROUNDS: usize = 4;

/// Returns the order of the rows with these neighbours: entry k is the row in place k.
pub(super) fn order(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let rows = neighbours.len();
    let mut colours: Vec<u64> = neighbours.iter().map(|list| list.len() as u64).collect();
    refine(neighbours, &mut colours);
    let Some(first) = (0..rows).min_by_key(|&i| (neighbours[i].len(), colours[i], i)) else { return Vec::new() };
    colours[first] = !colours[first];
    refine(neighbours, &mut colours);

    // Places of the neighbours that have one, ascending because places are given in this order.
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); rows];
    let mut is_placed = vec![false; rows];
    let mut reached: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(rows);
    let mut next = first as u32;
    loop {
        is_placed[next as usize] = true;
        for &j in neighbours[next as usize].iter().filter(|&&j| !is_placed[j as usize]) {
            if places[j as usize].is_empty() {
                reached.push(j);
            }
            places[j as usize].push(order.len() as u32);
        }
        order.push(next);
        let key = |j: u32| (&places[j as usize], colours[j as usize], j);
        let Some(best) = (0..reached.len()).min_by(|&a, &b| key(reached[a]).cmp(&key(reached[b]))) else { break };
        next = reached.swap_remove(best);
    }
    order
}

/// Replaces each colour by a hash of itself and those around it, some times.
fn refine(neighbours: &[Vec<u32>], colours: &mut Vec<u64>) {
    for _ in 0..ROUNDS {
        // A sum does not depend on the order of the neighbours.
        let around = |list: &Vec<u32>| list.iter().fold(0_u64, |sum, &j| sum.wrapping_add(mixed(colours[j as usize])));
        *colours = neighbours.iter().zip(&*colours).map(|(list, &own)| mixed(own ^ mixed(around(list)))).collect();
    }
}

/// Hash of a number (the finaliser of SplitMix64).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
