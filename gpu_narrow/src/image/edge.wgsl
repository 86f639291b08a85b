// Edge functions are held within this at the first pixel; where they change by no more than as much over all of a view,
// that changes no sign.
const EDGE: i32 = 1073741824;
