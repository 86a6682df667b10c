//! Scenes that are wrong: each is refused with these messages and no others, in time and within memory.

use scene::{Problems, Scene};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A scene of `bad_scenes/`, the line, a part of the message, the word suggested. A scene with several problems has
/// several rows.
#[rustfmt::skip]
const CASES: &[(&str, usize, &str, Option<&str>)] = &[
    ("misspelt_key", 11, "unknown key `yung` in `material`", Some("young")),
    ("misspelt_key", 11, "`young` is missing from `material`", None),
    ("misspelt_section", 1, "unknown key `rnu`", Some("run")),
    ("misspelt_section", 1, "[run] is missing", None),
    ("unknown_key", 7, "unknown key `colour` in [integrator], which takes step, stiffness, method, ", None),
    ("key_of_another_section", 1, "`gravity` belongs in [world]", None),
    ("misspelt_method", 5, "`method` takes one of", Some("backward-euler")),
    ("misspelt_material", 11, "`model` takes one of", Some("neo-hookean")),
    ("misspelt_generator", 10, "`generator` takes one of", Some("bar")),
    ("misspelt_parameter", 10, "unknown key `lenght` in `shape`", Some("length")),
    ("misspelt_group", 14, "the body has no group 'xx-'", Some("x-")),
    ("misspelt_body", 14, "there is no body \"baar\"", Some("bar")),
    ("misspelt_word", 7, "`stiffness` takes one of \"auto\", \"exact\", \"projected\"", Some("exact")),
    ("misspelt_selector", 14, "unknown key `bal` in `where`", Some("ball")),
    ("missing_duration", 1, "`duration` is missing from [run]; add `duration = ...`", None),
    ("missing_method", 4, "`method` is missing from [integrator]", None),
    ("missing_integrator", 1, "[integrator] is missing", None),
    ("missing_body", 1, "[[body]] is missing", None),
    ("missing_shape", 8, "`shape` is missing", None),
    ("missing_shape", 9, "unknown key `springz`", Some("springs")),
    ("missing_poisson", 11, "`poisson` is missing from `material`", None),
    ("missing_where", 13, "`where` is missing", None),
    ("missing_penalty_stiffness", 13, "`stiffness` is missing", None),
    ("string_for_number", 2, "not the string \"1.0\"; remove the quotes", None),
    ("number_for_vector", 9, "`gravity` takes an array of 3 numbers [m/s^2], not -9.81", None),
    ("short_vector", 9, "not [0.0, -9.81]", None),
    ("string_in_vector", 9, "not the string \"down\"", None),
    ("fraction_for_count", 10, "not 2.5; write it without a point", None),
    ("table_for_section", 13, "`fix` takes an array of tables, not a table", None),
    ("section_is_number", 1, "`world` takes a table, not 3", None),
    ("date_for_number", 6, "not the date 2024-01-01", None),
    ("nan", 6, "`step` takes a number above 0 [s], not nan", None),
    ("infinite", 2, "`duration` takes a number above 0 [s], not inf", None),
    ("overflowing_number", 11, "not 1e999", None),
    ("negative_modulus", 11, "`young` takes a number above 0 [Pa], not -1e6; a body of modulus 0 or less would fly apart", None),
    ("poisson_one_half", 11, "at 0.5 the volume could not change at all", None),
    ("poisson_minus_one", 11, "`poisson` takes a number above -1 and below 0.5, not -1.0", None),
    ("zero_density", 11, "what has no mass has no acceleration", None),
    ("negative_damping", 9, "`stiffness` takes a number 0 or above [s], not -0.1", None),
    ("zero_step", 6, "`step` takes a number above 0", None),
    ("zero_axis", 17, "`axis` takes an array of 3 numbers that are not all 0", None),
    ("zero_normal", 15, "`normal` takes an array of 3 numbers that are not all 0", None),
    ("option_out_of_range", 7, "`tolerance` takes a number from 1e-14 to 0.1, not 3.0", None),
    ("misspelt_auto", 7, "`unresolved_damping` takes a number from 0 to 10 or \"auto\", not the string \"atuo\"", Some("auto")),
    ("number_or_word_out_of_range", 7, "`unresolved_damping` takes a number from 0 to 10 or \"auto\", not -1.0", None),
    ("absurd_cells", 9, "more than the 50000000 that are allowed; lower its counts", None),
    ("absurd_count", 10, "whole number from 1 to 4294967295, not 99999999999999999999", None),
    ("absurd_bodies_together", 8, "the bodies have 87880000 elements in all", None),
    ("absurd_steps", 6, "use a larger step or a shorter run", None),
    ("absurd_frames", 3, "more than the 1e6 a run may write; lower the frame_rate", None),
    ("step_above_duration", 6, "the step is 2 s but the duration 1 s", None),
    ("option_of_another_method", 7, "`halvings` does not go with method = \"newmark\", only with siere, backward-euler", None),
    ("two_masses", 12, "`area_density` and `node_mass` both give mass", None),
    ("material_and_mass", 12, "the density of the `material` both give mass", None),
    ("springs_without_mass", 11, "springs have no mass of their own", None),
    ("made_of_nothing", 8, "made of nothing", None),
    ("material_without_tets", 11, "a cloth has no tets, which a material fills", None),
    ("faces_on_cloth", 11, "a cloth has no tets for `faces` springs", None),
    ("shear_on_tets", 12, "a bar has no diagonals for `shear` springs", None),
    ("area_density_of_chain", 12, "a chain has no triangles for `area_density`", None),
    ("warp_without_linear", 3, "no tets of a linear material to warp, and other materials turn by themselves", None),
    ("springs_of_no_stiffness", 11, "all springs have stiffness 0", None),
    ("consistent_mass_with_script", 9, "a consistent mass couples free nodes to the acceleration of scripted ones", None),
    ("constraint_in_backward_euler", 14, "backward-euler uses forces, not constraints; use contact = \"impulses\" and kind = \"impulses\", or one of the methods small-steps", None),
    ("impulses_in_small_steps", 14, "small-steps keeps bodies apart within its own small steps; use contact = \"constraint\"", None),
    ("impulses_of_negative_thickness", 16, "`thickness` takes a number above 0 [m], not -0.01", None),
    ("impulses_of_negative_thickness", 17, "`restitution` takes a number from 0 to 1, not 1.5", None),
    ("impulses_beside_constraints", 15, "this obstacle acts by impulses and other contact of the scene by constraint", None),
    ("impulses_beside_constraints", 18, "siere uses forces, not constraints; use contact = \"impulses\"", None),
    ("impulses_that_begin_crossed", 22, "move them apart, or use a smaller thickness", None),
    ("impulses_of_thin_bodies", 15, "body \"plate\" is 0.01 m thin, less than twice the thickness", None),
    ("impulses_of_a_fast_obstacle", 16, "it turns by 4 rad within a step", None),
    ("impulses_that_move_bodies", 16, "implicit-midpoint does not solve with M + h D + h^2 K, by which whole bodies respond to impulses; use response = \"nodes\", or one of the methods", None),
    ("constraint_that_moves_bodies", 15, "constraints act within small steps; use contact = \"impulses\"", None),
    ("penalty_of_box", 16, "penalty does not know a box; use kind = \"constraint\"", None),
    ("obstacle_without_size", 15, "`size` takes one number or an array of 3 numbers, each a number above 0", None),
    ("obstacle_without_size", 19, "`radius` takes a number above 0 [m], not 0.0", None),
    ("obstacle_without_size", 22, "`thickness` takes a number above 0 [m], not -1.0", None),
    ("missing_obstacle_mesh", 15, "no-such-mesh.obj: cannot be read", None),
    ("consistent_mass_in_small_steps", 9, "small-steps needs a separate mass for each node, and a consistent mass couples nodes; use mass = \"lumped\", or one of the methods symplectic-euler, rk4", None),
    ("damping_at_rest_in_small_steps", 10, "small-steps damps by its current constraints, not by the stiffness at rest", None),
    ("stokes_of_no_viscosity", 7, "`viscosity` takes a number above 0 [Pa s], not 0.0; a fluid without viscosity has inertia only", None),
    ("stokes_that_creates_fluid", 8, "three rows whose diagonal adds up to 0, or the flow would create fluid", None),
    ("stokes_of_two_rows", 8, "give a list of three rows", None),
    ("stokes_with_siere", 6, "siere does not couple bodies through a fluid without inertia; use linearly-implicit-euler, ere or backward-euler, or no [stokes]", None),
    ("stokes_of_too_many", 6, "6000 points and 6002 nodes are in the fluid, and more than 5000 of either", None),
    ("stokes_of_a_chain", 6, "body \"rope\": it has no surface, from whose area the size of its points in the fluid follows; give `epsilon`", None),
    ("stokes_wets_twice", 16, "there is no body \"haed\"; use one of head", Some("head")),
    ("stokes_wets_twice", 18, "\"head\" is in the fluid already; name each body once", None),
    ("stokes_of_a_dry_body", 4, "ere moves bodies by their drag alone, and some nodes are in no fluid; wet all bodies", None),
    ("motor_of_other_fibres", 23, "there is no [[fibres]] \"tial\"; use one of tail", Some("tail")),
    ("motor_of_two_fibres", 22, "a motor turns one fibre, and \"tail\" has 2", None),
    ("motor_of_another_axle", 22, "the body has no group 'axles'", Some("axle")),
    ("motor_of_a_whole_surface", 22, "the axle of a motor has two nodes, and the group has 20", None),
    ("fibres_of_no_length", 11, "`length` takes one number or an array of 2 numbers, each a number above 0 [m], not 0.0", None),
    ("fibres_of_no_segments", 15, "`segments` takes", None),
    ("fibres_of_negative_moduli", 13, "a fibre of modulus 0 or less would not straighten", None),
    ("fibres_of_negative_moduli", 15, "`shear_modulus` takes a number 0 or above [Pa], not -2.0", None),
    ("fibres_of_tight_curl", 15, "has fewer than 4 segments of 0.025 m; give more `segments`, or a wider curl", None),
    ("fibres_of_flat_curl", 8, "give more than 0, for the turns would lie in each other", None),
    ("fibres_shortest_last", 11, "give the shortest length first, then the longest", None),
    ("fibres_of_no_direction", 9, "points have no normal to grow along; give the fibres a `direction`", None),
    ("fibres_of_few_directions", 9, "2 points but 1 directions", None),
    ("fibres_of_parallel_sides", 9, "the two sides are parallel and have no normal", None),
    ("fibres_on_no_body", 9, "there is no [[body]] to grow on", None),
    ("fibres_on_missing_file", 9, "no-such-mesh.obj: cannot be read", None),
    ("fibres_outside", 9, "holds 0 of 200000 random places of the surface, too few for 5 roots; move or enlarge it", None),
    ("fibres_by_group", 9, "`where` of the roots: the body has no group 'scalp'", None),
    ("fibres_too_many", 8, "the fibres have 118000000 elements in all, more than the 50000000 that are allowed", None),
    ("fibres_of_one_name", 16, "another body is called \"fibres-1\"", None),
    ("fluid_in_backward_euler", 8, "backward-euler has no forces for the particles of a fluid; use no [[fluid]], or one of the methods small-steps", None),
    ("fluid_without_room", 9, "has no room for particles 0.1 m apart", None),
    ("fluid_without_spacing", 10, "`spacing` takes", None),
    ("fluid_outside_of_walls", 11, "a part of the `box` is outside of the walls", None),
    ("fluids_of_two_spacings", 14, "a fluid before has a spacing of 0.1 m and this one 0.2 m", None),
    ("fluid_of_too_many_particles", 10, "particles, more than the", None),
    ("fluid_of_negative_numbers", 11, "`density` takes a number above 0 [kg/m^3], not -1.0", None),
    ("fluid_of_negative_numbers", 12, "`viscosity` takes a number 0 or above [Pa s], not -0.1", None),
    ("fluid_of_negative_numbers", 13, "`bulk_modulus` takes a number above 0 [Pa], not 0.0", None),
    ("fluid_of_negative_numbers", 14, "`cfl` takes a number above 0, not 0.0", None),
    ("fluid_of_negative_numbers", 15, "`friction` takes a number 0 or above, not -0.5", None),
    ("fluids_that_overlap", 13, "the `box` overlaps that of fluid \"fluid-1\"; move one of them", None),
    ("fluid_inside_obstacle", 14, "particles of fluids begin inside of it", None),
    ("fluid_inside_body", 8, "particles of it begin inside of body \"body-1\", from where they could only burst", None),
    ("contact_of_half_a_fluid", 14, "it selects 500 of the 1000 nodes of \"fluid-1\"", None),
    ("contact_of_half_a_rigid_body", 15, "nodes of \"rigid-1\", and fluids and rigid bodies meet an obstacle as a whole", None),
    ("fix_of_a_rigid_body", 14, "it selects nodes of rigid bodies alone", None),
    ("regions_that_explode", 7, "steps per step, for schroeder is explicit there, and 1000 are allowed", None),
    ("fluid_inside_rigid_body", 13, "particles of fluids begin inside of it", None),
    ("rigid_of_no_size", 9, "`size` takes one number or an array of 3 numbers, each a number above 0", None),
    ("rigid_of_no_size", 13, "`radius` takes a number above 0 [m], not 0.0", None),
    ("rigid_of_no_size", 17, "`length` takes a number above 0 [m], not -1.0", None),
    ("rigid_of_no_size", 21, "`radius` takes a number above 0 [m], not nan", None),
    ("rigid_of_vanishing_size", 10, "rigid body \"ball\": triangle 0 [1, 3, 2] has no area", None),
    ("rigid_of_unknown_kind", 10, "`kind` takes one of \"box\", \"ball\", \"capsule\", \"hull\"", Some("ball")),
    ("rigid_mass_of_nothing", 10, "`mass` takes a number above 0 [kg], not 0.0", None),
    ("rigid_mass_of_nothing", 14, "not -2.0", None),
    ("rigid_mass_of_nothing", 18, "not nan", None),
    ("rigid_mass_of_nothing", 22, "`density` takes a number above 0", None),
    ("rigid_mass_of_nothing", 26, "not inf", None),
    ("rigid_without_mass", 8, "the rigid body has no mass; give it a `density` [kg/m^3] or a `mass` [kg], or fixed = true", None),
    ("rigid_of_two_masses", 11, "`mass` and `density` both give mass; keep one", None),
    ("rigid_fixed_and_thrown", 11, "a fixed body has no velocity", None),
    ("rigid_in_backward_euler", 8, "backward-euler moves nodes only and cannot rotate rigid bodies; use no [[rigid]] and [[joint]], or one of the methods small-steps", None),
    ("rigid_of_another_name", 15, "another body is called \"cloth\"; give each its own name", None),
    ("rigid_fix_of_nodes", 14, "\"ball\" is a rigid body, which has no nodes of its own; use its `fixed`", None),
    ("hull_of_three_points", 10, "rigid body \"ball\": a hull needs 4 points that are not in a plane, and there are 3", None),
    ("hull_of_a_plane", 10, "rigid body \"ball\": the hull is flat", None),
    ("hull_of_one_place", 10, "rigid body \"ball\": ", None),
    ("hull_of_nothing", 10, "the hull has no points; give it `points` [m], or the `path` of a mesh", None),
    ("hull_of_nan", 10, "`points` takes", None),
    ("hull_of_points_and_path", 10, "`points` and `path` both give the hull; keep one", None),
    ("hull_of_missing_file", 10, "no-such-mesh.obj: cannot be read", None),
    ("joint_to_nothing", 16, "the joint holds \"bal\", which is not there; use one of \"ball\"", Some("ball")),
    ("joint_of_nobody", 16, "the joint holds \"phantom-7\", which is not there; use one of \"cloth\"", None),
    ("joint_to_itself", 16, "the joint holds a body by itself; name two, or leave `to` out for the world", None),
    ("joint_of_what_is_held", 13, "nothing that the joint holds can move; free one of its bodies, or remove it", None),
    ("joint_without_place", 13, "`at` is missing", None),
    ("joint_of_unknown_kind", 14, "`kind` takes one of \"ball\", \"hinge\", \"fixed\", \"distance\"", Some("hinge")),
    ("joint_about_no_axis", 17, "`axis` takes an array of 3 numbers that are not all 0", None),
    ("joint_of_bad_numbers", 16, "`at` takes an array of 3 numbers", None),
    ("joint_of_bad_numbers", 18, "`length` takes a number 0 or above [m], not -1.0", None),
    ("joint_of_bad_numbers", 19, "`compliance` takes a number 0 or above [m/N], not -1.0", None),
    ("hinge_of_cloth", 22, "\"cloth\" is not rigid, and its nodes have no directions to keep; use a ball or distance joint", None),
    ("expect_part_of_rigid", 17, "\"ball\" is a rigid body, which has no nodes of its own; leave `where` out", None),
    ("expect_part_of_nothing", 18, "the body has no group", Some("corner-01")),
    ("iterations_of_a_direct_solver", 8, "solver = \"direct\" solves to its tolerance, however many iterations that takes; use solver = \"pcg\"", None),
    ("iterations_of_another_method", 8, "`solver_iterations` does not go with method = \"backward-euler\", only with linearly-implicit-euler", None),
    ("iterations_without_end", 8, "`solver_iterations` takes a whole number from 0 to 100000, not 1000000", None),
    ("jacobi_that_diverges", 8, "`weight` takes a number from 0.001 to 0.5, not 1.0", None),
    ("projection_onto_plane", 15, "projection acts on balls only", None),
    ("key_of_another_motion", 18, "`rate` does not go with motion = \"shake\", only with rotation", None),
    ("times_not_ascending", 16, "times must ascend, but 1 s is followed by 0.5 s", None),
    ("offsets_of_another_length", 17, "2 times but 1 offsets", None),
    ("empty_keyframes", 16, "`times` takes an array of numbers [s], not []", None),
    ("script_ends_before_it_starts", 19, "it ends at 1 s, before it starts at 2 s", None),
    ("pulse_longer_than_period", 18, "a pulse of 2 s cannot come again after 1 s", None),
    ("inside_out_shell", 14, "give an inner radius below the outer one", None),
    ("inside_out_box", 14, "the box runs from y = 1 to 0 m; exchange min and max", None),
    ("two_selectors", 14, "`where` has 2 keys", None),
    ("empty_selector", 14, "body \"bar\": the ball of radius 0.1 m around [9.0, 9.0, 9.0] holds none of the 525 nodes of the body", None),
    ("empty_region", 14, "holds none of the 1920 tets of the body", None),
    ("velocity_of_nothing", 13, "the velocity is none at all; give it `linear`", None),
    ("region_changes_nothing", 13, "the zone changes nothing", None),
    ("zone_mass_beside_material", 15, "the zone changes `node_mass`, but the material gives the body its mass; use `density`", None),
    ("material_missing_bulk", 11, "`bulk` is missing from `material` with model = \"mooney-rivlin\"; add `bulk = ...`, bulk modulus", None),
    ("material_misspelt_parameter", 11, "unknown key `bulc` in `material`", Some("bulk")),
    ("material_misspelt_parameter", 11, "`bulk` is missing from `material`", None),
    ("material_foreign_parameter", 11, "`c10` does not go with model = \"neo-hookean\", only with mooney-rivlin; remove it or change", None),
    ("material_negative_constant", 11, "`c10` takes a number 0 or above [Pa], not -2e5", None),
    ("material_of_nothing", 11, "c10 = 0 of the mooney-rivlin cannot be used; give c10 or c01 above 0", None),
    ("ogden_lists_apart", 11, "alpha = 2 of the ogden cannot be used; give as many numbers as mu has, at most 3", None),
    ("ogden_wrong_sign", 11, "mu = 200000 of the ogden cannot be used; give numbers of the sign of their alpha", None),
    ("fibres_without_direction", 11, "`direction` takes an array of 3 numbers that are not all 0", None),
    ("region_foreign_parameter", 15, "`bulk` does not go with model = \"neo-hookean\" of the zone, only with mooney-rivlin, ogden", None),
    ("region_of_another_model", 15, "model = \"mooney-rivlin\", whose parameters the body does not say; add `c10 = ...`, constant of the first invariant and `c01 = ...`", None),
    ("region_ogden_wrong_sign", 13, "give numbers of the sign of their alpha", None),
    ("region_of_missing_material", 16, "the zone changes `young`, but the body has no material", None),
    ("two_bodies_of_one_name", 14, "two bodies are called \"bar\"", None),
    ("fix_in_which_body", 18, "[[fix]] does not say which of the 2 bodies", None),
    ("region_of_another_method", 13, "`region` does not go with method = \"backward-euler\", only with asynchronous-backward-euler, schroeder", None),
    ("regions_chosen_and_given", 7, "regions are either chosen or given; remove this or every [[integrator.region]]", None),
    ("region_of_no_ratio", 15, "`ratio` takes a whole number from 1 to 1000, not 0", None),
    ("region_of_nothing", 14, "body \"bar\": the box from ", None),
    ("region_of_fixed_nodes", 14, "all nodes of the region are fixed or scripted", None),
    ("regions_that_touch", 17, "regions 1 and 2 touch: tet ", None),
    ("regions_that_share_nodes", 17, "is in region 1 and in region 2; let each node be in one at most", None),
    ("region_of_which_body", 17, "[[integrator.region]] does not say which of the 2 bodies", None),
    ("fixed_and_scripted", 17, "of body \"bar\", is already fixed by line 14; let each node follow one rule", None),
    ("initial_of_fixed_nodes", 19, "all nodes it changes are fixed or scripted", None),
    ("everything_fixed", 14, "every node is fixed or scripted", None),
    ("load_on_fixed_nodes", 19, "all nodes of the load are fixed or scripted", None),
    ("pressure_on_rope", 15, "a pressure acts on surfaces", None),
    ("initial_inside_out", 16, "inside out, where its material has no energy", None),
    ("shell_thicker_than_ball", 10, "shell = 0.2 of the ball cannot be used; give less than the radius", None),
    ("part_of_unknown_kind", 15, "`kind` takes one of \"ball\", \"ellipsoid\"", Some("ball")),
    ("parts_without_a_part", 11, "[[part]] is missing: its parts, joined in this order; add one", None),
    ("parts_without_vertices", 11, "`vertices` is missing", None),
    ("part_of_no_size", 16, "`size` takes one number or an array of 3 numbers, each a number above 0", None),
    ("part_rounder_than_thick", 16, "round = 3 of the box cannot be used; give at most half of the shortest side", None),
    ("part_cuts_from_nothing", 11, "part 1 changes what is before it, but nothing is", None),
    ("part_without_end", 11, "let half spaces cut (difference, intersection), not be added", None),
    ("part_cut_away_wholly", 11, "body \"bar\": ", None),
    ("part_name_of_nothing", 11, "no tet belongs to the part 'horn'", None),
    ("assembly_of_nothing", 14, "no part before this one says into = \"wheel\"", None),
    ("surface_in_a_scene", 14, "can be a part of a shape file only", None),
    ("outline_of_two_corners", 14, "give three or more corners around an area", None),
    ("outline_in_space", 16, "`outline` takes an array of arrays of 2 numbers [m], not [0.0, 1.0, 2.0]", None),
    ("tube_of_too_many_radii", 14, "one radius, or one for each of the 2 points", None),
    ("too_many_vertices", 13, "`vertices` takes a whole number from 8 to 5000000, not 500000000000", None),
    ("repeat_without_end", 16, "`count` takes a whole number from 1 to 10000", None),
    ("part_beyond_the_world", 11, "body \"bar\": ", None),
    ("shape_file_missing", 13, "no-such-body.toml: cannot be read", None),
    ("name_in_an_assembly", 14, "the name \"rim\" of a part of the assembly \"wheel\" would name nothing", None),
    ("assembly_of_no_use", 16, "no part uses the assembly \"wheel\"", None),
    ("parts_that_do_not_meet", 11, "nothing is left of the body: parts that intersect do not meet", None),
    ("copies_of_copies", 97, "it stands for 131072 shapes, more than 100000", None),
    ("coil_of_few_segments", 10, "3 a turn, 9 or more", None),
    ("energy_bounds_exchanged", 14, "put the lower bound first", None),
    ("scale_to_infinity", 10, "body \"bar\"", None),
    ("not_toml", 7, "not TOML", None),
    ("duplicate_key", 7, "not TOML: duplicate key", None),
    ("duplicate_section", 8, "not TOML: duplicate key", None),
    ("duplicate_section", 9, "not TOML: duplicate key", None),
    ("unclosed_string", 1, "not TOML", None),
    ("unclosed_array", 12, "not TOML", None),
    ("number_with_two_points", 6, "not TOML: invalid float", None),
    ("empty", 1, "the file is empty", None),
    ("only_comments", 1, "[run] is missing", None),
    ("only_comments", 1, "[integrator] is missing", None),
    ("only_comments", 1, "[[body]] is missing", None),
    ("deeply_nested", 7, "not TOML", None),
    ("long_key", 1, "unknown key `kkkk", None),
    ("many_at_once", 1, "`title` takes a string, not 3", None),
    ("many_at_once", 3, "`duration` takes", None),
    ("many_at_once", 4, "unknown key `frame_rat`", Some("frame_rate")),
    ("many_at_once", 6, "`method` takes one of", Some("rk4")),
    ("many_at_once", 7, "`step` takes a number", None),
    ("many_at_once", 9, "`length` takes a number above 0 [m], not -1.0", None),
    ("many_at_once", 10, "`young` takes", None),
    ("many_at_once", 10, "not 0.6", None),
    ("many_at_once", 10, "not nan", None),
    ("many_at_once", 12, "there is no body \"rod\"; use one of \"body-1\"", None),
    ("many_at_once", 13, "`group` takes a string, not 5", None),
    ("keys_and_meshes", 3, "unknown key `frame_rat`", Some("frame_rate")),
    ("keys_and_meshes", 7, "`step` takes a number above 0", None),
    ("keys_and_meshes", 12, "`young` takes a number above 0", None),
    ("keys_and_meshes", 15, "the body has no group 'middle'", Some("x+")),
    ("keys_and_meshes", 20, "no-such-mesh.msh: cannot be read", None),
    ("keys_and_meshes", 25, "`length` takes a number above 0 [m], not -1.0", None),
    ("keys_and_meshes", 31, "a cloth has no tets, which a material fills", None),
    ("keys_and_meshes", 35, "the body has no group 'xx-'", Some("x-")),
    ("keys_and_meshes", 47, "holds none of the 525 nodes of the body", None),
    ("keys_and_meshes", 54, "`kind` takes one of", Some("force")),
    ("keys_and_meshes", 59, "backward-euler uses forces, not constraints", None),
    ("keys_and_meshes", 60, "no-such-obstacle.obj: cannot be read", None),
    ("keys_and_meshes", 63, "put the lower bound first", None),
    ("keys_and_meshes", 67, "the body has no group 'y--'", Some("y-")),
    ("two_missing_meshes", 10, "no-such-mesh.msh: cannot be read", None),
    ("two_missing_meshes", 20, "the body has no group 'xx-'", Some("x-")),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scenes")
}

/// Tries before a file counts as slow: other programs may have had the machine meanwhile.
const TRIES: usize = 5;

/// Returns the problems of a file, and the time it took to find them.
fn timed(path: &Path) -> (Problems, Duration) {
    let clock = Instant::now();
    let problems = match Scene::load(path).and_then(|scene| scene.build().map(drop)) {
        Ok(()) => panic!("{} is accepted", path.display()),
        Err(problems) => problems,
    };
    assert_small();
    (problems, clock.elapsed())
}

/// Returns the problems of a file; checks that it is refused within a second, in the best of several tries.
fn problems(path: &Path) -> Problems {
    // Without optimisation everything takes about ten times as long.
    problems_within(path, Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 }))
}

/// Returns the problems of a file, which is refused within this time in the best of several tries.
fn problems_within(path: &Path, limit: Duration) -> Problems {
    let mut took = Vec::new();
    for _ in 0..TRIES {
        let (problems, elapsed) = timed(path);
        if elapsed < limit {
            return problems;
        }
        took.push(elapsed);
    }
    panic!("{} took {took:?}, not {limit:?}", path.display());
}

/// Returns the time to read a sound scene that is almost as large as allowed.
fn time_of_sound_scene() -> Duration {
    let rows = 250_000;
    let times: Vec<String> = (0..rows).map(|k| k.to_string()).collect();
    let text = format!(
        "[run]\nduration = 1\n[integrator]\nmethod = \"bdf2\"\nstep = 0.1\n[[body]]\nshape = {{ generator = \"bar\" }}\n\
         material = {{ model = \"linear\", young = 1e6, poisson = 0.3, density = 1000 }}\n[[script]]\nwhere = {{ group = \"x-\" }}\n\
         motion = \"keyframes\"\ntimes = [{}]\noffsets = [{}]\n",
        times.join(","),
        vec!["[0,0,0]"; rows].join(","),
    );
    assert!(text.len() > 3 << 20, "{} bytes", text.len());
    let time = || {
        let clock = Instant::now();
        Scene::parse("sound.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        clock.elapsed()
    };
    (0..TRIES).map(|_| time()).min().unwrap_or_default()
}

/// Checks that refusing four times the bytes takes about four times as long, not sixteen times.
fn assert_linear(name: &str, bytes: impl Fn(usize) -> Vec<u8>) {
    const MOST: usize = (4 << 20) - 10;
    let [small, large] = [MOST / 4, MOST].map(|size| Odd::new(&format!("{name}-{size}"), &bytes(size)));
    let [mut short, mut long] = [Duration::MAX; 2];
    for _ in 0..TRIES {
        short = short.min(timed(&small.0).1);
        long = long.min(timed(&large.0).1);
        // Caches make the whole slower than its share; squared work would be sixteen times.
        if long < 12 * short + Duration::from_millis(20) {
            return;
        }
    }
    panic!("{name}: a quarter takes {short:?}, the whole {long:?}");
}

/// Checks that the peak memory of this process stays below 512 MiB.
fn assert_small() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    assert!(peak < 512 << 10, "{peak} kB");
}

/// A file that is too odd to keep, removed after the test.
struct Odd(PathBuf);

impl Odd {
    fn new(name: &str, bytes: &[u8]) -> Odd {
        let path = std::env::temp_dir().join(format!("pliant-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Odd(path)
    }
}

impl Drop for Odd {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn every_bad_scene_is_refused_with_the_right_words() {
    let mut names: Vec<&str> = CASES.iter().map(|(name, ..)| *name).collect();
    names.dedup();
    let mut wrong = Vec::new();
    for name in &names {
        let problems = problems(&folder().join(format!("{name}.toml")));
        let expected: Vec<_> = CASES.iter().filter(|(case, ..)| case == name).collect();
        for (_, line, fragment, suggestion) in &expected {
            let fits = |problem: &&scene::Problem| {
                problem.line == *line
                    && problem.message.contains(fragment)
                    && problem.suggestion.as_deref() == *suggestion
                    && problem.file.ends_with(&format!("{name}.toml"))
            };
            if !problems.list.iter().any(|problem| fits(&problem)) {
                wrong.push(format!("{name}: line {line}, {fragment}, {suggestion:?} is not in\n{problems}"));
            }
        }
        if problems.list.len() + problems.more != expected.len() {
            wrong.push(format!("{name}: {} problems were expected, not\n{problems}", expected.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_has_its_row() {
    let mut files = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        assert!(CASES.iter().any(|(case, ..)| *case == name), "{name} is in no row");
        files += 1;
    }
    assert!(files >= 90);
}

/// Every message ends with advice or names the accepted values.
#[test]
fn every_message_says_what_to_do() {
    for (name, ..) in CASES {
        for problem in &problems(&folder().join(format!("{name}.toml"))).list {
            let says = [";", " takes ", "; add"].iter().any(|words| problem.message.contains(words));
            assert!(says, "{name}: {}", problem.message);
        }
    }
}

#[test]
fn problems_look_like_a_compilers() {
    let shown = Scene::load(&folder().join("misspelt_key.toml")).unwrap_err();
    let problem = &shown.list[1];
    let expected = format!(
        "error: unknown key `yung` in `material`; correct or remove it\n  --> {}:11:37\n   |\n\
         11 | material = {{ model = \"neo-hookean\", yung = 1e6, poisson = 0.3, density = 1000.0 }}\n   \
         |                                     ^^^^ did you mean `young`?\n",
        problem.file
    );
    assert_eq!(problem.to_string(), expected);
    let json = shown.to_json();
    assert_eq!(json["problems"][1]["suggestion"], "young");
    assert_eq!((&json["problems"][1]["line"], &json["problems"][1]["column"]), (&11.into(), &37.into()));
}

#[test]
fn files_that_are_no_text() {
    let not_utf8 = Odd::new("latin", b"title = \"a\"\n[run]\ntitle = \"caf\xe9\"\n");
    let found = problems(&not_utf8.0);
    assert_eq!((found.list.len(), found.list[0].line), (1, 3));
    assert!(found.list[0].message.contains("0xe9, is not UTF-8"), "{found}");

    let mut x = 1_u64;
    let mut noise = || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 33) as u8
    };
    let garbage: Vec<u8> = (0..1 << 16).map(|_| noise()).collect();
    problems(&Odd::new("garbage", &garbage).0);
    let ascii: Vec<u8> = (0..1 << 16).map(|_| noise() & 0x7f).collect();
    let found = problems(&Odd::new("ascii", &ascii).0);
    assert!(!found.to_string().contains('\u{1b}'), "control characters reach the terminal");
    problems(&Odd::new("nul", &[0; 1000]).0);
}

#[test]
fn files_that_are_too_large() {
    let huge = Odd::new("huge", b"");
    std::fs::File::options().write(true).open(&huge.0).unwrap().set_len(1 << 34).unwrap();
    assert!(problems(&huge.0).list[0].message.contains("larger than 4 MiB"));

    // The worst files that are just small enough. A machine that is busy takes longer, for sound scenes too.
    let limit = Duration::from_secs(1).max(4 * time_of_sound_scene());
    let least = (4 << 20) - 10;
    let repeat = |text: &str| text.repeat(least / text.len()).into_bytes();
    for (name, text) in [("brackets", "["), ("duplicates", "a=1\n"), ("bodies", "[[body]]\n"), ("quotes", "'")] {
        assert_linear(name, |size| text.repeat(size / text.len()).into_bytes());
    }
    for (name, bytes) in [
        ("brackets", repeat("[")),
        ("duplicates", repeat("a=1\n")),
        ("numbers", [b"a=[".to_vec(), repeat("1,"), b"]".to_vec()].concat()),
        ("bodies", repeat("[[body]]\n")),
        ("quotes", repeat("'")),
        (
            "one-line",
            [
                b"body=[".to_vec(),
                repeat("{x=1,y=2,z=3}, ")[..140_000].to_vec(),
                b"]".to_vec(),
                repeat(" ")[..4_000_000].to_vec(),
            ]
            .concat(),
        ),
        (
            "long-name",
            [
                b"[[body]]\nname='".to_vec(),
                repeat("n")[..2_000_000].to_vec(),
                b"'\n[[body]]\nname='".to_vec(),
                repeat("n")[..2_000_000].to_vec(),
                b"'".to_vec(),
            ]
            .concat(),
        ),
    ] {
        let found = problems_within(&Odd::new(name, &bytes).0, limit);
        assert!(found.list.len() <= 100);
        assert!(found.to_string().len() < 1 << 20);
    }
}

#[test]
fn files_that_are_not_there() {
    assert!(problems(Path::new("no/such/scene.toml")).list[0].message.contains("cannot be read"));
    assert!(problems(&folder()).list[0].message.contains("cannot be read"));
}
