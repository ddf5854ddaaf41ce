//! The registers of x86-64: AVX2 with FMA, and AVX-512.

use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, _mm256_add_pd, _mm256_castpd_ps, _mm256_castps256_ps128,
    _mm256_cvtps_pd, _mm256_extractf128_ps, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd,
    _mm256_loadu_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_setzero_pd, _mm256_setzero_ps,
    _mm256_storeu_pd, _mm256_storeu_ps, _mm512_add_pd, _mm512_castpd512_pd256, _mm512_castps_pd,
    _mm512_castps512_ps256, _mm512_cvtps_pd, _mm512_extractf64x4_pd, _mm512_fmadd_pd,
    _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_setzero_pd, _mm512_setzero_ps, _mm512_storeu_pd, _mm512_storeu_ps,
};

use super::{Isa, Vector, Work};

/// 16 registers of 32 bytes: 4 rows × 3 vectors are 12 sums, and 3 + 1 registers hold the factors: none is left.
pub(super) struct Avx2;

impl Isa for Avx2 {
    type F32 = __m256;
    type F64 = __m256d;
    type Wider = __m256d;
    const VECTORS: usize = 3;
    const FUSED: bool = true;
    // A whole chunk. Half a chunk was slower at every width from 8 to 1000.
    const DEPTH: usize = 256;
}

/// 32 registers of 64 bytes: 8 rows × 3 vectors are 24 sums.
pub(super) struct Avx512;

impl Isa for Avx512 {
    type F32 = __m512;
    type F64 = __m512d;
    type Wider = Twelve;
    const VECTORS: usize = 3;
    const FUSED: bool = true;
    const DEPTH: usize = 256;
}

/// # Safety
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2<W: Work>(work: W) -> W::Output {
    // SAFETY: as promised by the caller.
    unsafe { work.run::<Avx2, 4>() }
}

/// # Safety
/// The processor must have AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn run_avx512<W: Work>(work: W) -> W::Output {
    // SAFETY: as promised by the caller.
    unsafe { work.run::<Avx512, 8>() }
}

macro_rules! vector {
    ($register:ty, $cell:ty, $lanes:literal, $zero:ident, $splat:ident, $load:ident, $fma:ident, $store:ident, $add_to:ident, $pinned:ident) => {
        impl Vector for $register {
            type Cell = $cell;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller vouches for the instructions; so below.
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn splat(x: $cell) -> Self {
                // SAFETY: as above.
                unsafe { $splat(x) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $cell) -> Self {
                // SAFETY: as above, and for the pointer.
                unsafe { $load(from) }
            }

            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: as above.
                unsafe { $fma(self, b, c) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $cell) {
                // SAFETY: as above, and for the pointer.
                unsafe { $store(to, self) }
            }

            #[inline(always)]
            unsafe fn add_to(self, to: *mut f64) {
                // SAFETY: as above, and for the pointer.
                unsafe { $add_to(self, to) }
            }

            #[inline(always)]
            unsafe fn pinned(self) -> Self {
                // SAFETY: as above.
                unsafe { $pinned(self) }
            }
        }
    };
}

vector!(
    __m256d,
    f64,
    4,
    _mm256_setzero_pd,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_fmadd_pd,
    _mm256_storeu_pd,
    add_4,
    pin_pd
);
vector!(
    __m256,
    f32,
    8,
    _mm256_setzero_ps,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_fmadd_ps,
    _mm256_storeu_ps,
    add_2x4,
    pin_ps
);
vector!(
    __m512d,
    f64,
    8,
    _mm512_setzero_pd,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_fmadd_pd,
    _mm512_storeu_pd,
    add_8,
    identity
);
vector!(
    __m512,
    f32,
    16,
    _mm512_setzero_ps,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_fmadd_ps,
    _mm512_storeu_ps,
    add_2x8,
    identity
);

/// 12 numbers. On processors that execute a 64-byte register as two of 32 bytes, 12 numbers take three quarters of the time
/// of 16; on others they take no more time.
#[derive(Clone, Copy)]
pub(super) struct Twelve(__m512d, __m256d);

impl Vector for Twelve {
    type Cell = f64;
    const LANES: usize = 12;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller vouches for the instructions; so below.
        unsafe { Twelve(Vector::zero(), Vector::zero()) }
    }

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: as above.
        unsafe {
            let long = __m512d::splat(x);
            Twelve(long, _mm512_castpd512_pd256(long))
        }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as above, and for the pointer.
        unsafe { Twelve(Vector::load(from), Vector::load(from.add(__m512d::LANES))) }
    }

    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        unsafe { Twelve(self.0.mul_add(b.0, c.0), self.1.mul_add(b.1, c.1)) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as above, and for the pointer.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(__m512d::LANES));
        }
    }

    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        // SAFETY: as above, and for the pointer.
        unsafe {
            self.0.add_to(to);
            self.1.add_to(to.add(__m512d::LANES));
        }
    }
}

/// No instruction, but a barrier across which the compiler moves no load. Without it, the compiler loads the next row's
/// number one multiplication too early and spills a sum in the innermost loop: 21 GF/s instead of 51 in a measurement.
macro_rules! pin {
    ($name:ident, $register:ty) => {
        #[inline]
        #[target_feature(enable = "avx")]
        unsafe fn $name(mut x: $register) -> $register {
            // SAFETY: the block contains nothing but a comment.
            unsafe {
                std::arch::asm!("/* {0} */", inout(ymm_reg) x, options(nostack, preserves_flags));
            }
            x
        }
    };
}

pin!(pin_pd, __m256d);
pin!(pin_ps, __m256);

/// With 32 registers, none is spilled.
#[inline(always)]
unsafe fn identity<V>(x: V) -> V {
    x
}

#[inline]
#[target_feature(enable = "avx")]
unsafe fn add_4(x: __m256d, to: *mut f64) {
    // SAFETY: the caller vouches for 4 numbers from `to` on.
    unsafe { _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), x)) };
}

#[inline]
#[target_feature(enable = "avx")]
unsafe fn add_2x4(x: __m256, to: *mut f64) {
    let low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    let high = _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(x));
    // SAFETY: the caller vouches for 8 numbers from `to` on.
    unsafe {
        add_4(low, to);
        add_4(high, to.add(4));
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_8(x: __m512d, to: *mut f64) {
    // SAFETY: the caller vouches for 8 numbers from `to` on.
    unsafe { _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), x)) };
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_2x8(x: __m512, to: *mut f64) {
    let low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
    // The upper half is extracted as f64s: extracting it as f32s would need more than AVX-512F.
    let high = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(x));
    let high = _mm512_cvtps_pd(_mm256_castpd_ps(high));
    // SAFETY: the caller vouches for 16 numbers from `to` on.
    unsafe {
        add_8(low, to);
        add_8(high, to.add(8));
    }
}
