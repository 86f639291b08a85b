// Interval places: where the intervals of each view begin among those of all views, in the order of the views.
//
// One workgroup goes through all of them, so the places do not depend on the order in which views were sampled. Views
// whose intervals there is no room for have no place.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read_write> records: array<PatchRecord>;
// How many intervals the views before these have.
@group(0) @binding(2) var<storage, read_write> total: array<u32>;

const PLACES: u32 = 256u;

var<workgroup> sums: array<u32, PLACES>;
var<workgroup> before: u32;

@compute @workgroup_size(256)
fn interval_places(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        before = total[0];
    }
    for (var base = 0u; base < params.tiles; base += PLACES) {
        let start = workgroupUniformLoad(&before);
        let record = params.first + base + lane;
        let seen = base + lane < params.tiles;
        var own = 0u;
        if (seen) {
            own = records[record].intervals;
        }
        sums[lane] = own;
        workgroupBarrier();
        for (var reach = 1u; reach < PLACES; reach *= 2u) {
            var more = 0u;
            if (lane >= reach) {
                more = sums[lane - reach];
            }
            workgroupBarrier();
            sums[lane] += more;
            workgroupBarrier();
        }
        if (seen) {
            let end = start + sums[lane];
            // The base is how many there is room for.
            records[record].place = select(NONE, end - own, end <= params.base);
        }
        workgroupBarrier();
        if (lane == 0u) {
            before = start + sums[PLACES - 1u];
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        total[0] = before;
    }
}
