// Depths of a view in steps.

// Depths at which everything nearer, and everything farther, ends up.
const NEAREST: i32 = -2147483646;
const FARTHEST: i32 = 2147483645;

// Steps at a depth.
fn steps(z: vec2<u32>) -> i32 {
    let far = select(FARTHEST, NEAREST, z.y >= SIGN);
    return select(held(whole64(z), NEAREST, FARTHEST), far, exponent(z) >= 1023u + 62u);
}
