//! How the deeds of a script are done.

use protocol::host::{Effect, Label, Millis, ObjectName, Platform, Shared, Statement, TaskId, Text, Value};

use super::{Do, For, Memory, Then, request};
use crate::kernel::{EPOCH, Wide};

/// What both kinds of party can do.
pub(super) fn anywhere<H: Platform + ?Sized>(
    memory: &mut Memory,
    id: TaskId,
    deed: Do,
    host: &mut H,
) -> Then {
    let kept = memory.kept.join(" ");
    let version = memory.version.to_string();
    let task = memory.task(id);
    match deed {
        Do::Keep(what) => memory.kept.push(what),
        Do::Recall => task.said.push(Text::from(kept)),
        Do::Say(what) => task.said.push(what),
        Do::Version => task.said.push(Text::from(version)),
        Do::Now => task.said.push(Text::from(host.now().since(EPOCH).0.to_string())),
        Do::Work(cost) => host.work(Millis(cost)),
        Do::Act(kind) => {
            let detail = Text::default();
            host.effect(id, Effect { kind, detail });
        }
        Do::Put(key, value) => host.put(task.call(id), Label("put"), Shared::Kv, &key, &value, None),
        Do::Call(stub, script) => host.call(task.call(id), Label("call"), &stub, request(script)),
        Do::Await => return Then::Wait(For::All),
        Do::Sleep(length) => {
            let call = task.call(id);
            host.sleep(call, Label("sleep"), Millis(length));
            return Then::Wait(For::One(call.nth));
        }
        Do::PutTo(store, key, value, keep) => {
            let (call, keep) = (task.call(id), keep.map(Millis));
            host.put(call, Label("put"), store, &key, &value, keep);
        }
        Do::Get(key) => return anywhere(memory, id, Do::GetFrom(Shared::Kv, key), host),
        Do::GetFrom(store, key) => {
            let call = task.call(id);
            host.get(call, Label("get"), store, &key);
            return Then::Wait(For::One(call.nth));
        }
        Do::Throw(error) => return Then::Ended(Err(error)),
        of_objects => panic!("only an object can {of_objects:?}"),
    }
    Then::On
}

/// What an object can do besides.
pub(super) fn in_object(memory: &mut Memory, id: TaskId, deed: Do, host: &mut dyn Wide) -> Then {
    let task = memory.task(id);
    match deed {
        Do::Write(what) => {
            host.sql(&Statement::new(CREATE, []))
                .expect("the table can be made");
            let insert = Statement::new("INSERT INTO t (v) VALUES (?)", [Value::Text(what)]);
            host.sql(&insert).expect("a row can be added");
        }
        Do::Read => {
            let rows = host
                .sql(&Statement::new("SELECT v FROM t", []))
                .map(|rows| rows.rows);
            let rows = rows.unwrap_or_default();
            task.said
                .extend(rows.iter().filter_map(|row| row[0].as_text()).map(Text::new));
        }
        Do::Sql(statement) => {
            let refused = host.sql(&statement).err();
            task.said
                .extend(refused.map(|error| Text::from(format!("{:?}", error.kind))));
        }
        Do::Transact(batch, end) => {
            let failed = host.transaction(&batch, end).err();
            task.said
                .extend(failed.map(|failed| Text::from(format!("{:?} at {}", failed.error.kind, failed.at))));
        }
        Do::SetAlarm(at) => host.set_alarm(Some(EPOCH.after(Millis(at)))),
        Do::ClearAlarm => host.set_alarm(None),
        Do::ReadAlarm => {
            let due = host.alarm().map(|at| at.since(EPOCH).0.to_string());
            task.said.push(due.map_or(Text::new_static("none"), Text::from));
        }
        Do::Name => task.said.extend(host.name().map(|name| name.0.clone())),
        Do::IsOwnId(name) => {
            let is_own = host.id() == host.id_of(&ObjectName(name));
            task.said.push(Text::from(is_own.to_string()));
        }
        Do::Digest => {
            let call = task.call(id);
            host.digest(call, Label("digest"), b"");
            return Then::Wait(For::One(call.nth));
        }
        Do::Abort(why) => {
            host.abort(&why);
            return Then::Aborted;
        }
        Do::Enter(kind) => {
            let call = task.call(id);
            host.enter(call, kind);
            return Then::Wait(For::One(call.nth));
        }
        Do::Leave(end) => {
            let call = task.call(id);
            host.leave(call, end);
            return Then::Wait(For::One(call.nth));
        }
        deed => return anywhere(memory, id, deed, host),
    }
    Then::On
}

const CREATE: &str = "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT)";
