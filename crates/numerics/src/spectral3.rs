//! 3x3 spectral kernels.
