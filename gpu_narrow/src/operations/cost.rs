//! What a statement of a shader costs each time that an invocation comes to it.

use naga::valid::FunctionInfo;
use naga::{
    AddressSpace, BinaryOperator, Expression, Function, Handle, MathFunction, Module, ScalarKind, Statement,
    TypeInner,
};

use super::Operations;

/// Reads costs from the code of one function.
pub(super) struct CostReader<'m> {
    pub module: &'m Module,
    pub function: &'m Function,
    pub info: &'m FunctionInfo,
}

impl CostReader<'_> {
    /// The statement's own cost, without that of blocks inside it.
    pub fn of(&self, statement: &Statement) -> Operations {
        let mut cost = Operations::default();
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    cost += self.of_expression(expression);
                }
            }
            Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. } => cost.branches = 1,
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => cost.barriers = 1,
            Statement::Store { pointer, value } => match self.space(*pointer) {
                AddressSpace::Storage { .. } => {
                    cost.stored = self.bytes(*value);
                    cost.accesses = 1;
                }
                space => self.touch(&mut cost, space, *pointer, self.bytes(*value)),
            },
            Statement::Atomic { pointer, .. } => match self.space(*pointer) {
                AddressSpace::WorkGroup => cost.shared_atomics = 1,
                _ => cost.atomics = 1,
            },
            // A barrier before the load and one after it.
            Statement::WorkGroupUniformLoad { result, .. } => {
                cost.barriers = 2;
                cost.shared = self.bytes(*result);
            }
            _ => {}
        }
        cost
    }

    fn of_expression(&self, expression: Handle<Expression>) -> Operations {
        let mut cost = Operations::default();
        let count = width(self.inner(expression));
        match &self.function.expressions[expression] {
            Expression::Access { .. } | Expression::ArrayLength(_) => cost.integer = 1,
            Expression::Load { pointer } => {
                self.touch(&mut cost, self.space(*pointer), *pointer, self.bytes(expression));
            }
            Expression::Unary { expr, .. } => *self.plain(&mut cost, *expr) += count,
            Expression::Binary { op, left, right } => {
                // Of a product of a matrix and a vector, each component is a sum of products.
                let wide = width(self.inner(*left)).max(width(self.inner(*right))).max(count);
                match op {
                    BinaryOperator::Divide | BinaryOperator::Modulo => cost.special = wide,
                    BinaryOperator::Multiply if !self.is_float(*left) => cost.multiply = wide,
                    _ => *self.plain(&mut cost, *left) += wide,
                }
            }
            Expression::Select { accept, .. } => *self.plain(&mut cost, *accept) += count,
            Expression::Relational { argument, .. } => cost.integer = width(self.inner(*argument)),
            Expression::Math { fun, arg, .. } => self.add_function(&mut cost, *fun, *arg),
            // Whole numbers become each other's kind for nothing.
            Expression::As { convert: Some(_), expr, .. }
                if self.is_float(*expr) || self.is_float(expression) =>
            {
                cost.convert = count;
            }
            _ => {}
        }
        cost
    }

    fn add_function(&self, cost: &mut Operations, function: MathFunction, argument: Handle<Expression>) {
        use MathFunction as F;
        let count = width(self.inner(argument));
        match function {
            F::Abs | F::Min | F::Max | F::Sign | F::Step | F::Saturate => {
                *self.plain(cost, argument) += count;
            }
            F::Clamp | F::Fma | F::Dot | F::Mix => *self.plain(cost, argument) += 2 * count,
            F::Cross => cost.float = 9,
            F::Distance | F::Length | F::Normalize => {
                cost.float = 3 * count;
                cost.special = 1;
            }
            F::Floor | F::Ceil | F::Round | F::Trunc | F::Fract => cost.float = count,
            F::CountTrailingZeros
            | F::CountLeadingZeros
            | F::CountOneBits
            | F::ReverseBits
            | F::ExtractBits
            | F::InsertBits
            | F::FirstTrailingBit
            | F::FirstLeadingBit => cost.integer = count,
            _ => cost.special = count,
        }
    }

    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.module.types)
    }

    fn bytes(&self, expression: Handle<Expression>) -> u64 {
        self.inner(expression).size(self.module.to_ctx()).into()
    }

    fn space(&self, pointer: Handle<Expression>) -> AddressSpace {
        self.inner(pointer).pointer_space().unwrap_or(AddressSpace::Function)
    }

    fn is_float(&self, expression: Handle<Expression>) -> bool {
        self.inner(expression).scalar_kind() == Some(ScalarKind::Float)
    }

    fn plain<'c>(&self, cost: &'c mut Operations, of: Handle<Expression>) -> &'c mut u64 {
        if self.is_float(of) { &mut cost.float } else { &mut cost.integer }
    }

    /// Counts bytes that are loaded, or stored elsewhere than in a buffer. Variables of an invocation's own are in registers
    /// unless their index is computed.
    fn touch(&self, cost: &mut Operations, space: AddressSpace, pointer: Handle<Expression>, bytes: u64) {
        match space {
            AddressSpace::Storage { .. } => {
                cost.loaded += bytes;
                cost.accesses += 1;
            }
            AddressSpace::Uniform => {
                cost.uniform += bytes;
                cost.accesses += 1;
            }
            AddressSpace::WorkGroup => cost.shared += bytes,
            _ if self.is_indexed(pointer) => cost.local += bytes,
            _ => {}
        }
    }

    fn is_indexed(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { .. } => true,
            Expression::AccessIndex { base, .. } => self.is_indexed(base),
            _ => false,
        }
    }
}

/// Numbers in a value.
fn width(inner: &TypeInner) -> u64 {
    inner.components().unwrap_or(1).into()
}
