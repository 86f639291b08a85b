//! The shader of a pass with a counter for every stretch of straight code.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Arena, Binding, Block, BuiltIn, Expression, Function, Handle, Literal, Module, Span, Statement};

use super::cost::CostReader;
use super::{Operations, WARP};
use crate::device::pass::{Pass, Stage};

/// Counts a visit of a stretch.
const VISIT: &str = "count_visit";

/// The entry point.
pub(crate) const ENTRY: &str = "counted_entry";

/// A pass's shader that counts.
#[derive(Debug)]
pub(crate) struct CountedShader {
    /// The WGSL.
    pub source: String,
    /// What one visit of each stretch costs.
    pub costs: Vec<Operations>,
    /// Threads of a workgroup.
    pub threads: u32,
}

impl CountedShader {
    /// Gives a pass's shader counters: `counted`, in bind group 1, has the visits of each stretch by each warp, their sum over its
    /// invocations and then the most of one.
    ///
    /// # Errors
    /// What the shader cannot be counted for: it is no compute shader of one entry point, or is not understood.
    pub fn of(pass: &Pass) -> Result<CountedShader, String> {
        let &[(entry, Stage::Compute([x, y, z]))] = pass.entries else {
            return Err("only compute shaders with one entry point are counted".to_owned());
        };
        let threads = x * y * z;
        // The number of stretches is not known before they are made.
        let mut shader = counted(pass, entry, threads, 1)?;
        shader = counted(pass, entry, threads, shader.costs.len())?;
        Ok(shader)
    }
}

fn counted(pass: &Pass, entry: &str, threads: u32, stretches: usize) -> Result<CountedShader, String> {
    let source = with_counters(pass.source, entry, threads, stretches)?;
    let mut module = naga::front::wgsl::parse_str(&source).map_err(|error| error.emit_to_string(&source))?;
    let info = validate(&module)?;
    let (visit, _) = module
        .functions
        .iter()
        .find(|(_, function)| function.name.as_deref() == Some(VISIT))
        .ok_or("the counter is missing")?;
    let mut costs = Vec::new();
    let functions: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    for handle in functions {
        let name = module.functions[handle].name.clone().unwrap_or_default();
        if name == VISIT || name == FLUSH {
            continue;
        }
        let function = module.functions[handle].clone();
        let reader = CostReader { module: &module, function: &function, info: &info[handle] };
        let mut counter =
            Counter { reader, visit, costs: &mut costs, expressions: function.expressions.clone() };
        let body = counter.block(&function.body);
        let expressions = counter.expressions;
        module.functions[handle] = Function { body, expressions, ..function };
    }
    let info = validate(&module)?;
    let flags = naga::back::wgsl::WriterFlags::empty();
    let source = naga::back::wgsl::write_string(&module, &info, flags).map_err(|error| error.to_string())?;
    Ok(CountedShader { source, costs, threads })
}

fn validate(module: &Module) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(module).map_err(|error| error.into_inner().to_string())
}

/// Adds up visits at the end of an invocation.
const FLUSH: &str = "add_visits";

/// The shader with its entry point made a function, one around it that is the entry point, and the functions that count.
fn with_counters(source: &str, entry: &str, threads: u32, stretches: usize) -> Result<String, String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let point = module.entry_points.iter().find(|point| point.name == entry).ok_or("no such entry point")?;
    let mut arguments = Vec::new();
    for argument in &point.function.arguments {
        arguments.push(match argument.binding {
            Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => "counted_group",
            Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => "counted_lane",
            _ => return Err("an argument of the entry point is not known".to_owned()),
        });
    }
    let begin = source.find("@compute").ok_or("no entry point")?;
    let header = source[begin..].find("fn ").ok_or("no function")? + begin;
    let end = source[header..].find('{').ok_or("no body")? + header;
    let declared = ["@builtin(workgroup_id) ", "@builtin(local_invocation_index) "]
        .iter()
        .fold(source[header..end].to_owned(), |text, builtin| text.replace(builtin, ""));
    let (before, after, arguments) = (&source[..begin], &source[end..], arguments.join(", "));
    let warps = threads.div_ceil(WARP);
    Ok(format!(
        "@group(1) @binding(0) var<storage, read_write> counted: array<atomic<u32>>;
var<private> counted_visits: array<u32, {stretches}>;
fn {VISIT}(stretch: u32) {{ counted_visits[stretch] += 1u; }}
fn {FLUSH}(lane: u32, group: vec3<u32>, groups: vec3<u32>) {{
    let warp = (group.y * groups.x + group.x) * {warps}u + lane / {WARP}u;
    for (var k = 0u; k < {stretches}u; k++) {{
        let visits = counted_visits[k];
        if (visits > 0u) {{
            let at = 2u * (warp * {stretches}u + k);
            atomicAdd(&counted[at], visits);
            atomicMax(&counted[at + 1u], visits);
        }}
    }}
}}
{before}{declared}{after}
@compute @workgroup_size({threads})
fn {ENTRY}(
    @builtin(workgroup_id) counted_group: vec3<u32>,
    @builtin(local_invocation_index) counted_lane: u32,
    @builtin(num_workgroups) counted_groups: vec3<u32>
) {{
    {entry}({arguments});
    {FLUSH}(counted_lane, counted_group, counted_groups);
}}
"
    ))
}

/// Puts counters into one function.
struct Counter<'c> {
    reader: CostReader<'c>,
    visit: Handle<Function>,
    costs: &'c mut Vec<Operations>,
    /// The function's expressions, and the numbers of stretches.
    expressions: Arena<Expression>,
}

impl Counter<'_> {
    /// The block with a visit counted at its beginning, and after each statement from which an invocation may not come back.
    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::new();
        let mut stretch = None;
        for (statement, span) in block.span_iter() {
            let own = *stretch.get_or_insert_with(|| self.begin(&mut out));
            self.costs[own] += self.reader.of(statement);
            if leaves(statement) {
                stretch = None;
            }
            out.push(self.inside(statement), *span);
        }
        out
    }

    fn begin(&mut self, out: &mut Block) -> usize {
        let stretch = self.costs.len();
        self.costs.push(Operations::default());
        let literal = Expression::Literal(Literal::U32(stretch as u32));
        let argument = self.expressions.append(literal, Span::UNDEFINED);
        let call = Statement::Call { function: self.visit, arguments: vec![argument], result: None };
        out.push(call, Span::UNDEFINED);
        stretch
    }

    /// The statement with the blocks inside it counted.
    fn inside(&mut self, statement: &Statement) -> Statement {
        let mut statement = statement.clone();
        match &mut statement {
            Statement::Block(block) => *block = self.block(block),
            Statement::If { accept, reject, .. } => {
                *accept = self.block(accept);
                *reject = self.block(reject);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    case.body = self.block(&case.body);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                *body = self.block(body);
                *continuing = self.block(continuing);
            }
            _ => {}
        }
        statement
    }
}

/// Whether what follows the statement in its block may not be reached from it.
fn leaves(statement: &Statement) -> bool {
    let any = |block: &Block| block.iter().any(leaves);
    match statement {
        Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill => true,
        Statement::Block(block) => any(block),
        Statement::If { accept, reject, .. } => any(accept) || any(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| any(&case.body)),
        Statement::Loop { body, continuing, .. } => any(body) || any(continuing),
        _ => false,
    }
}
