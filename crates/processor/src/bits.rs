//! Bits by which processors tell what they can do.

/// Words of `cpuid`: 1 ecx, 7 ebx, 7 ecx, 7 edx, 7.1 eax, 0x80000001 ecx; without what the operating system does not support.
pub type Bits = [u32; 6];

/// Registers that the operating system must save when it switches threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// 128 bits: always.
    Xmm,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}
