//! Media that leave results, and follow them in a turn of the user's.

use interlingua_model::{Block, Body, Role, Turn};
use interlingua_wire::Text;

use super::{Spot, block, edit, noun};
use crate::Work;
use crate::look::is_result;

/// Takes media out of results. They stand in this order.
pub(crate) fn results(work: &mut Work<'_>, spots: &[Spot]) {
    let home = |work: &Work<'_>, spot: &Spot| spot.turn.map(|turn| last_of_results(work, turn));
    // From behind: a turn more moves nothing then.
    let mut rest = spots;
    while let Some(last) = rest.last() {
        let Some(at) = home(work, last) else { return };
        let first = rest.iter().rposition(|spot| home(work, spot) != Some(at));
        let (before, these) = rest.split_at(first.map_or(0, |first| first + 1));
        work.insert_turn(at + 1, Turn::new(Role::User));
        for (number, spot) in (1..).zip(these) {
            part(work, spot, number, at + 1);
        }
        rest = before;
    }
}

/// The last of the turns in a row that begin with results: nothing stands between results.
pub(crate) fn last_of_results(work: &Work<'_>, turn: usize) -> usize {
    let more = work.turns()[turn + 1..].iter().take_while(|next| {
        next.role == Role::User && next.blocks.first().is_some_and(|block| is_result(block))
    });
    turn + more.count()
}

/// Takes one of them to the end of a turn, with words that say where it is from.
fn part(work: &mut Work<'_>, spot: &Spot, number: usize, home: usize) {
    let Some(turn) = spot.turn else { return };
    let Body::Media(media) = &block(work, spot).body else { return };
    let Body::ToolResult(result) = &work.block(turn, spot.block).body else { return };
    let (noun, call) = (noun(media.kind), result.name.as_ref().unwrap_or(&result.call));
    let words = [
        format!("[{noun} {number} follows]"),
        format!("[{noun} {number} from the result of {call}]"),
    ];
    work.change(spot.place(), format!("the {noun} of a result follows the results"));
    let [here, there] = words.map(|words| Block::text(Text::new(&words)));
    let mut moved = None;
    edit(work, spot, |block| moved = Some(std::mem::replace(block, here)));
    for block in [Some(there), moved].into_iter().flatten() {
        let at = work.blocks(home).len();
        work.part((turn, spot.block), (home, at), block);
    }
}
