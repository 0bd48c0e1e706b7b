//! Takes a turn over that another server has left: whole, as it was stored.

use std::time::Duration;

use ::redis::{FromRedisValue, RedisError, Value, from_redis_value_ref};

use super::connection::PATIENCE;
use super::{MARK, Own, Redis, TAKE, json};
use crate::config::MOST_OWNERS;
use crate::conversation::{Before, Conversation};
use crate::store::{Begun, Input, Store, StoreError, Taken};

impl Redis {
    /// Ends a turn that nobody can go on with.
    async fn end(&self, id: &str, own: &Own) -> Result<(), StoreError> {
        let mut call = MARK.key(self.key("turn", id));
        call.key(self.key("inputs", id)).key(self.live(id, own.first)).arg("end").arg(own.owner());
        self.link.run::<u64>(&call, PATIENCE).await?;
        self.unhint(id).await
    }

    pub(super) async fn take(&self, id: String) -> Result<Option<Taken>, StoreError> {
        let first = self.place(&id).await?.running.unwrap_or_default();
        let mut call = TAKE.key(self.key("turn", &id));
        call.key(self.key("inputs", &id)).key(self.live(&id, first));
        call.arg(self.lease.as_millis() as u64).arg(first);
        type Turn = (u64, u64, u64, String, String, u64, Vec<Vec<u8>>, Vec<String>);
        let (state, turn): (u64, Option<Turn>) = match self.link.run::<Vec<Value>>(&call, PATIENCE).await?.as_slice() {
            [state] => (read(state)?, None),
            [state, turn] => (read(state)?, Some(read(turn)?)),
            _ => return Err(StoreError::Unreadable),
        };
        let Some((token, epoch, first_chunk_id, begun, before, age, inputs, told)) = turn else {
            match state {
                0 => self.unhint(&id).await?,
                _ => self.hint(&id, Some(self.lease / 8)).await?,
            }
            return Ok(None);
        };
        let own = Own { token, epoch, first: first_chunk_id, inputs: inputs.len() };
        let conversation = id.clone();
        let taken = async {
            let begun: Begun = json(&begun)?;
            let Before { messages, context, session } = json(&before)?;
            let mut before = self.conversation(&id).await?.unwrap_or_else(|| Conversation::new(begun.assistant));
            before.messages.truncate(messages);
            (before.context, before.session) = (context, session);
            let inputs = inputs.iter().map(|input| Input::from_bytes(input)).collect::<Option<_>>();
            Ok(Taken {
                conversation,
                first_chunk_id,
                begun,
                before,
                inputs: inputs.ok_or(StoreError::Unreadable)?,
                told: told.iter().map(|event| json(event)).collect::<Result<_, _>>()?,
                age: Duration::from_millis(age),
                owners: epoch,
            })
        };
        let taken = taken.await;
        match &taken {
            Ok(_) => self.keep(&id, own),
            Err(StoreError::Unreadable) if epoch > MOST_OWNERS => self.end(&id, &own).await?,
            // Its lease is over some day, and somebody tries again.
            Err(_) => {}
        }
        taken.map(Some)
    }
}

pub(super) fn read<T: FromRedisValue>(value: &Value) -> Result<T, StoreError> {
    Ok(from_redis_value_ref(value).map_err(RedisError::from)?)
}
