//! A solver of one's own behind the solver interface: a ball of mass 1 kg falls on a box and comes to
//! rest. Rows come out, impulses go back; impinge keeps them for the next step's warm start.
//!
//! `cargo run --release --example custom_solver`

use std::convert::Infallible;

use impinge::prelude::*;

const MASS: f64 = 1.0;
const DT: f64 = 1.0 / 60.0;

/// One body that moves without turning; everything else stands still.
struct Ball {
    velocity: Vector3<f64>,
    /// The user data of its collider.
    name: u64,
}

impl Solver for Ball {
    type Error = Infallible;

    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], dt: f64) -> Result<(), Infallible> {
        // The normal points from A to B: it pushes the ball if the ball is B, pulls if it is A.
        let sign = |row: &ContactRow| if row.user_data[1] == self.name { 1.0 } else { -1.0 };
        for (row, impulse) in rows.iter().zip(&*impulses) {
            self.velocity += row.normal * (sign(row) * impulse.normal / MASS);
        }
        for _ in 0..10 {
            for (row, impulse) in rows.iter().zip(&mut *impulses) {
                let approach = sign(row) * self.velocity.dot(&row.normal);
                let push_out = 0.2 * (row.depth - 0.0005).max(0.0) / dt;
                let wanted = (impulse.normal + MASS * (push_out - approach)).max(0.0);
                let change = wanted - impulse.normal;
                impulse.normal = wanted;
                self.velocity += row.normal * (sign(row) * change / MASS);
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    let table = world.add_shape(Shape::cuboid([1.0, 1.0, 0.1])?)?;
    let ball = world.add_shape(Shape::sphere(0.25)?)?;
    world.add_collider(Collider::new(table).fixed(true))?;
    let body = world.add_collider(Collider::new(ball).position([0.0, 0.0, 1.0]).user_data(1))?;

    let mut solver = Ball { velocity: Vector3::zeros(), name: 1 };
    for step in 0..180 {
        world.step();
        solver.velocity.z -= 9.81 * DT;
        world.solve(&mut solver, DT)?;
        let mut pose = world.pose(body)?;
        pose.translation.vector += solver.velocity * DT;
        world.set_pose(body, pose)?;
        if step % 20 == 0 {
            println!("{:.2} s: height {:.4} m", f64::from(step) * DT, pose.translation.z);
        }
    }
    let height = world.pose(body)?.translation.z;
    println!("at rest at {height:.4} m; table and radius make 0.35 m");
    if (height - 0.35).abs() > 0.002 {
        return Err(format!("the ball rests at {height} m, not at 0.35 m").into());
    }
    Ok(())
}
