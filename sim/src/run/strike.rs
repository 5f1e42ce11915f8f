//! How a fault of a plan strikes.

use protocol::task::Program;

use super::Simulation;
use crate::kernel::storage::Store;
use crate::kernel::{Observer, Trouble};
use crate::plan::Fault;
use crate::world::World;

impl<W: World, P: Program, S: Store, O: Observer> Simulation<'_, W, P, S, O> {
    /// Has a fault of the plan strike; what it is aimed at may not be there.
    pub(super) fn break_something(&mut self, id: u32, fault: &Fault) -> Option<()> {
        let kernel = &mut self.kernel;
        match fault {
            Fault::Reset { object, cause } => kernel.reset(id, kernel.object_named(object)?, *cause),
            Fault::Evict { object } => kernel.evict(id, kernel.object_named(object)?),
            Fault::Displace { object, overlap } => {
                kernel.displace(id, kernel.object_named(object)?, *overlap);
            }
            Fault::Partition { from, to, way, lasts } => {
                let trouble = Trouble::Partition(kernel.named(from)?, kernel.named(to)?, *way);
                kernel.trouble(id, trouble, *lasts);
            }
            Fault::Clog { from, to, lasts } => {
                let trouble = Trouble::Clog(kernel.named(from)?, kernel.named(to)?);
                kernel.trouble(id, trouble, *lasts);
            }
            Fault::CommitStall { object, lasts } => {
                let trouble = Trouble::CommitStall(kernel.object_named(object)?);
                kernel.trouble(id, trouble, *lasts);
            }
            Fault::CommitFailure { object } => {
                let object = kernel.object_named(object)?;
                kernel.fail_commit(id, object)?;
            }
            Fault::StorageError { object, error, lasts } => {
                let trouble = Trouble::StorageError(kernel.object_named(object)?, *error);
                kernel.trouble(id, trouble, *lasts);
            }
            Fault::Statement { object, after, error } => {
                let object = kernel.object_named(object)?;
                kernel.strike_statement(id, object, *after, *error)?;
            }
            Fault::Cancel { item } => {
                kernel.cancel(id, *item);
                // It applies when that client is there to go.
                return None;
            }
            Fault::KvOutage { lasts } => kernel.kv_outage(id, *lasts),
            Fault::BrokerRestart => kernel.restart_broker(id),
            Fault::Restart { front } => kernel.restart(id, kernel.front_named(front)?),
            Fault::Rewind { object, .. } => kernel.rewind(id, kernel.object_named(object)?)?,
            Fault::Clone { from, to } => {
                kernel.clone_storage(id, kernel.object_named(from)?, kernel.object_named(to)?);
            }
            Fault::Deploy { version, percent } => kernel.deploy(id, *version as usize, *percent)?,
            // Armed from the beginning.
            Fault::Call { .. } => {}
        }
        Some(())
    }
}
