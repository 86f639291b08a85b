// Contact view: of each cluster of a pair's contours, last step's view where it still shows them well, else one laid
// along their area vector; and the triangles that it may show, in whole numbers.
//
// Twins: narrow/pair/src/memory.rs, narrow/image_space/src/view.rs and fixed_map.rs. A workgroup takes one pair. Where a
// new view stands is not exact, as contours are in single precision; what follows is the CPU's to the last bit where it
// is given the maps.

// A view of the last step, as it stands now.
struct KeptContactView {
    rows: array<vec4<f32>, 3>,
    maps: array<LatticeMap, 2>,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> kept_views: array<KeptContactView>;
@group(0) @binding(3) var<storage, read_write> pairs: array<ContactPair>;
@group(0) @binding(4) var<storage, read_write> rows: array<TileRow>;

const WORKGROUP: u32 = 64u;

// There is no cluster, or no view.
const NO_CLUSTER: u32 = 0x80u;

// Pixels of a new view that its contours leave free.
const VIEW_ROOM: f32 = 2.0;
// Contours longer than wide by this factor (of the squares) lie along the pixels' rows.
const LONG_CONTOUR: f32 = 3.0;
// A view is kept up to 3 degrees (cosine) from the area vector, and while contours span this part of it.
const KEPT_VIEW_ANGLE: f32 = 0.99862953;
const KEPT_VIEW_FILL: f32 = 0.4;
// The depth of a kept view reaches beyond the contours by this part of half their width, and is no greater than this
// many times a new view's.
const KEPT_DEPTH_MARGIN: f32 = 0.5;
const KEPT_DEPTH_GROWTH: f32 = 1.5;
// Components of a direction that differ by less are as large.
const EVEN: f32 = 1e-4;

// The views of the pair, as all threads of the workgroup have them.
struct LaidView {
    status: u32,
    view: ContactView,
}
var<workgroup> laid: LaidView;
// How many boxes of triangles either body has.
var<workgroup> totals: vec2<u32>;
// The box of a cluster's segments along three rows.
struct Reach {
    low: vec3<f32>,
    high: vec3<f32>,
}

fn along_rows(r: array<vec4<f32>, 3>, x: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(r[0].xyz, x) + r[0].w, dot(r[1].xyz, x) + r[1].w, dot(r[2].xyz, x) + r[2].w);
}

// What each thread has found, and then each eighth of them.
var<workgroup> lows: array<vec3<f32>, WORKGROUP>;
var<workgroup> highs: array<vec3<f32>, WORKGROUP>;

// Of all threads' boxes the one around them, for all threads.
fn around_all(own: Reach, lane: u32) -> Reach {
    lows[lane] = own.low;
    highs[lane] = own.high;
    workgroupBarrier();
    if (lane < 8u) {
        for (var k = 1u; k < 8u; k++) {
            lows[8u * lane] = min(lows[8u * lane], lows[8u * lane + k]);
            highs[8u * lane] = max(highs[8u * lane], highs[8u * lane + k]);
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        for (var k = 8u; k < WORKGROUP; k += 8u) {
            lows[0] = min(lows[0], lows[k]);
            highs[0] = max(highs[0], highs[k]);
        }
    }
    workgroupBarrier();
    let out = Reach(lows[0], highs[0]);
    workgroupBarrier();
    return out;
}

// The sum of all threads' pairs of vectors, in a fixed order, for all threads.
fn sum_of_all(one: vec3<f32>, other: vec3<f32>, lane: u32) -> Reach {
    lows[lane] = one;
    highs[lane] = other;
    workgroupBarrier();
    if (lane < 8u) {
        for (var k = 1u; k < 8u; k++) {
            lows[8u * lane] += lows[8u * lane + k];
            highs[8u * lane] += highs[8u * lane + k];
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        for (var k = 8u; k < WORKGROUP; k += 8u) {
            lows[0] += lows[k];
            highs[0] += highs[k];
        }
    }
    workgroupBarrier();
    let out = Reach(lows[0], highs[0]);
    workgroupBarrier();
    return out;
}

// Whether a segment is of one of the contours, a bit each.
fn is_of(p: u32, k: u32, contours: u32) -> bool {
    let contour = pairs[p].segment[k].contour;
    return contour < MOST_CONTOURS && ((contours >> contour) & 1u) == 1u;
}

// Called by all threads.
fn reach_of(p: u32, contours: u32, r: array<vec4<f32>, 3>, lane: u32) -> Reach {
    var out = Reach(vec3<f32>(3.0e38), vec3<f32>(-3.0e38));
    for (var k = lane; k < pairs[p].segments; k += WORKGROUP) {
        if (is_of(p, k, contours)) {
            let at = along_rows(r, pairs[p].segment[k].start);
            out.low = min(out.low, at);
            out.high = max(out.high, at);
        }
    }
    return around_all(out, lane);
}

// Whether a view of the last step looks along a cluster's area vector.
fn still_looks_along(p: u32, c: u32, r: array<vec4<f32>, 3>) -> bool {
    return abs(dot(normalize(r[2].xyz), normalize(pairs[p].cluster[c].area))) >= KEPT_VIEW_ANGLE;
}

// Whether such a view shows a cluster well, by where its segments are in it.
fn still_fits(side: f32, reach: Reach, r: array<vec4<f32>, 3>) -> bool {
    let low = reach.low.xy / SUB_PIXELS + 0.5;
    let high = reach.high.xy / SUB_PIXELS + 0.5;
    if (any(low < vec2<f32>(0.0)) || any(high >= vec2<f32>(side)) || any((high - low) < vec2<f32>(KEPT_VIEW_FILL * side))) {
        return false;
    }
    // Widths in steps of depth.
    let width = (reach.high.xy - reach.low.xy) * length(r[2].xyz) / vec2<f32>(length(r[0].xyz), length(r[1].xyz));
    let margin = 0.5 * max(width.x, width.y);
    let room = KEPT_DEPTH_MARGIN * margin;
    let fresh = reach.high.z - reach.low.z + 2.0 * margin;
    return reach.low.z >= room && reach.high.z + room <= DEPTH_STEPS && DEPTH_STEPS <= KEPT_DEPTH_GROWTH * fresh;
}

// Unit axes along a direction, either way: right, up, depth.
fn axes_along(p: u32, normal: vec3<f32>) -> mat3x3<f32> {
    let own = mat3x3<f32>(pairs[p].head.axes[0].xyz, pairs[p].head.axes[1].xyz, pairs[p].head.axes[2].xyz);
    let n = normal * own;
    let part = abs(n);
    var most = 0u;
    var least = 0u;
    for (var k = 1u; k < 3u; k++) {
        most = select(most, k, part[k] > part[most] + EVEN);
        least = select(least, k, part[least] > part[k] + EVEN);
    }
    let depth = select(n, -n, n[most] < 0.0);
    var across = vec3<f32>(0.0);
    across[least] = 1.0;
    let up = normalize(across - depth * depth[least]);
    return mat3x3<f32>(own * cross(up, depth), own * up, own * depth);
}

// How far the segments' starts are spread along two axes: how many they are and their sums; the sums of their products. Called by
// all threads.
fn spread_of(p: u32, contours: u32, axes: mat3x3<f32>, lane: u32) -> Reach {
    var sum = vec3<f32>(0.0);
    var square = vec3<f32>(0.0);
    let middle = 0.5 * (pairs[p].segment[0].start + pairs[p].segment[0].end) * axes;
    for (var k = lane; k < pairs[p].segments; k += WORKGROUP) {
        if (is_of(p, k, contours)) {
            let at = (pairs[p].segment[k].start * axes - middle).xy;
            sum += vec3<f32>(1.0, at);
            square += vec3<f32>(at.x * at.x, at.x * at.y, at.y * at.y);
        }
    }
    return sum_of_all(sum, square, lane);
}

// Axes turned about their depth so that right runs along what is long, where anything is.
fn lengthwise(axes: mat3x3<f32>, spread: Reach) -> mat3x3<f32> {
    let count = spread.low.x;
    let square = spread.high;
    let mean = spread.low.yz / count;
    let xx = square.x - count * mean.x * mean.x;
    let xy = square.y - count * mean.x * mean.y;
    let yy = square.z - count * mean.y * mean.y;
    let half = 0.5 * (xx - yy);
    let root = sqrt(half * half + xy * xy);
    let most = 0.5 * (xx + yy) + root;
    if (most <= LONG_CONTOUR * (0.5 * (xx + yy) - root)) {
        return axes;
    }
    let a = vec2<f32>(xy, most - xx);
    let b = vec2<f32>(most - yy, xy);
    var long = select(b, a, dot(a, a) > dot(b, b));
    let size = length(long);
    if (!(size > 0.0)) {
        return axes;
    }
    long /= size;
    // A direction and its opposite are the same.
    let sign = select(long.y, long.x, abs(long.x) >= abs(long.y));
    long = select(long, -long, sign < 0.0);
    let right = axes[0] * long.x + axes[1] * long.y;
    return mat3x3<f32>(right, cross(axes[2], right), axes[2]);
}

// What one thread tells all: which kept view to try, or NONE; whether one fits; the axes of a new view.
var<workgroup> tried: u32;
var<workgroup> fits: u32;
var<workgroup> new_axes: mat3x3<f32>;

// Takes the view of the last step that shows a cluster well, if there is one; `taken` are those that others have. Called by all
// threads; gives whether there is one.
fn take_kept(p: u32, c: u32, taken: ptr<function, u32>, lane: u32) -> bool {
    var next = 0u;
    loop {
        if (lane == 0u) {
            tried = NONE;
            for (var k = next; k < pairs[p].head.kept_count; k++) {
                if (((*taken >> k) & 1u) == 0u && still_looks_along(p, c, kept_views[pairs[p].head.kept + k].rows)) {
                    tried = k;
                    break;
                }
            }
        }
        let k = workgroupUniformLoad(&tried);
        if (k == NONE) {
            break;
        }
        let kept = pairs[p].head.kept + k;
        let reach = reach_of(p, pairs[p].cluster[c].contours, kept_views[kept].rows, lane);
        if (lane == 0u) {
            fits = select(0u, 1u, still_fits(f32(pairs[p].head.side), reach, kept_views[kept].rows));
        }
        if (workgroupUniformLoad(&fits) == 1u) {
            *taken |= 1u << k;
            if (lane == 0u) {
                take_view(kept, k);
            }
            break;
        }
        next = k + 1u;
    }
    return workgroupUniformLoad(&tried) != NONE;
}

fn take_view(kept: u32, k: u32) {
    laid.status = 0u;
    laid.view.rows = kept_views[kept].rows;
    laid.view.maps = kept_views[kept].maps;
    laid.view.kept = k;
}

// Lays a new view of a cluster. Called by all threads.
fn lay_new(p: u32, c: u32, lane: u32) {
    let contours = pairs[p].cluster[c].contours;
    if (lane == 0u) {
        new_axes = axes_along(p, normalize(pairs[p].cluster[c].area));
    }
    workgroupBarrier();
    let spread = spread_of(p, contours, new_axes, lane);
    if (lane == 0u) {
        new_axes = lengthwise(new_axes, spread);
    }
    workgroupBarrier();
    let axes = new_axes;
    let plain = array<vec4<f32>, 3>(vec4<f32>(axes[0], 0.0), vec4<f32>(axes[1], 0.0), vec4<f32>(axes[2], 0.0));
    let reach = reach_of(p, contours, plain, lane);
    if (lane == 0u) {
        set_new(p, c, axes, reach);
    }
}

// The new view along axes around what the segments reach along them.
fn set_new(p: u32, c: u32, axes: mat3x3<f32>, reach: Reach) {
    let cluster = pairs[p].cluster[c];
    let size = length(cluster.high - cluster.low);
    let side = f32(pairs[p].head.side);
    var view: Along;
    view.axes = axes;
    view.origin = pairs[p].head.origin;
    view.middle = 0.5 * (cluster.low + cluster.high);
    let centre = 0.5 * (reach.low + reach.high);
    let pixel = max((reach.high.xy - reach.low.xy) / (side - VIEW_ROOM), vec2<f32>(0.001 * size / side));
    if (min(pixel.x, pixel.y) < CERTAIN * pairs[p].head.delta) {
        laid.status = NO_AREA_VECTOR;
        return;
    }
    let half = max(reach.high.x - reach.low.x, reach.high.y - reach.low.y);
    let deep = reach.high.z - reach.low.z + half;
    view.worth = vec3<f32>(SUB_PIXELS / pixel.x, SUB_PIXELS / pixel.y, DEPTH_STEPS / deep);
    view.start = vec3<f32>(centre.xy - 0.5 * (side - 1.0) * pixel, centre.z - 0.5 * deep);
    view.units = vec3<f32>(side * SUB_PIXELS, side * SUB_PIXELS, DEPTH_STEPS);
    for (var k = 0u; k < 3u; k++) {
        laid.view.rows[k] = vec4<f32>(view.axes[k] * view.worth[k], -view.start[k] * view.worth[k]);
    }
    let scale = pairs[p].head.scale;
    let own = mat3x3<f32>(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, scale);
    let to_a = pairs[p].head.to_a;
    let other = transpose(mat3x3<f32>(to_a[0].xyz, to_a[1].xyz, to_a[2].xyz));
    laid.view.maps[0].quanta = pairs[p].head.quanta_a;
    laid.view.maps[1].quanta = pairs[p].head.quanta_b;
    let a = map_of(view, own, vec3<f32>(0.0), scale, laid.view.maps[0]);
    let b = map_of(view, other, vec3<f32>(to_a[0].w, to_a[1].w, to_a[2].w), scale, laid.view.maps[1]);
    laid.view.maps[0] = a.map;
    laid.view.maps[1] = b.map;
    laid.status = select(NO_AREA_VECTOR, 0u, a.fits && b.fits);
}

// Lays the view of a cluster. `taken`: kept views that others have. Called by all threads.
fn lay(p: u32, c: u32, taken: ptr<function, u32>, lane: u32) {
    if (lane == 0u) {
        laid = LaidView();
        laid.view.kept = NONE;
        let cluster = pairs[p].cluster[c];
        let size = length(cluster.high - cluster.low);
        laid.status = select(NO_AREA_VECTOR, 0u, length(cluster.area) > NO_AREA * size * size);
        fits = laid.status;
    }
    if (workgroupUniformLoad(&fits) == 0u) {
        let is_kept = take_kept(p, c, taken, lane);
        if (!is_kept) {
            lay_new(p, c, lane);
        }
    }
    workgroupBarrier();
}

// The next kept view that shows no cluster of the device's: it may show one of the CPU's, whose contours are exact. Called by
// one thread for all.
fn left_over(p: u32, taken: u32) -> u32 {
    laid = LaidView();
    laid.view.kept = NONE;
    laid.status = NO_CLUSTER;
    for (var k = 0u; k < pairs[p].head.kept_count; k++) {
        if (((taken >> k) & 1u) == 0u) {
            take_view(pairs[p].head.kept + k, k);
            return 1u << k;
        }
    }
    return 0u;
}

@compute @workgroup_size(64)
fn contact_view(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let p = index;
    let side = pairs[p].head.side;
    let first = pairs[p].head.first_row - params.base;
    let room = pairs[p].head.room;
    // The rows that say how many there are of each view come first.
    var next = pairs[p].head.views;
    var taken = 0u;
    for (var c = 0u; c < pairs[p].head.views; c++) {
        if (c < pairs[p].clusters) {
            lay(p, c, &taken, lane);
        }
        if (lane == 0u) {
            if (c >= pairs[p].clusters) {
                taken |= left_over(p, taken);
            }
            let there = laid.status == 0u;
            let counts = vec2<u32>(pairs[p].head.count_a, pairs[p].head.count_b);
            totals = select(vec2<u32>(0u), (counts + BOX_TRIANGLES - 1u) / BOX_TRIANGLES, there);
        }
        let counts = workgroupUniformLoad(&totals);
        let begin = next;
        var of_a = 0u;
        for (var body = 0u; body < 2u; body++) {
            of_a = next - begin;
            if (counts[body] == 0u) {
                continue;
            }
            let words = words_of(p, body);
            let far = laid.view.maps[body].far;
            if (lane == 0u) {
                rough = rough_of(laid.view.maps[body]);
                map_halves = row_halves(laid.view.maps[body]);
            }
            for (var base = 0u; base < counts[body]; base += STRETCH) {
                list_stretch(words, base, counts[body], lane, side, far);
                let listed = workgroupUniformLoad(&list_length);
                for (var from_place = 0u; from_place < listed; from_place += AT_HAND) {
                    next = add_rows(p, body, words, next, from_place + lane / BOX_TRIANGLES, lane);
                    workgroupBarrier();
                }
            }
        }
        let over = next > room;
        let end = next;
        // Another view may have room.
        next = select(next, begin, over);
        if (lane == 0u) {
            let count = select(end - begin, 0u, over);
            // From the row after this one.
            rows[first + c].edge = vec3<i32>(i32(count), i32(of_a), i32(begin - c) - 1);
            laid.view.shown = count;
            laid.view.status = laid.status | select(0u, OVER_ROWS, over);
            pairs[p].view[c] = laid.view;
        }
        workgroupBarrier();
    }
}
