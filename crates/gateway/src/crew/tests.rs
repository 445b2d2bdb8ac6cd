//! Connections stay together while one thread can serve them, and no longer.

use std::time::Duration;

use super::{Crew, MANY, Post};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// How many of these are let go at a moment when their thread has been at work for so long.
fn let_go(posts: &[Post], now: u64, at_work: u64) -> usize {
    posts.iter().filter(|post| post.is_over_at(ms(now), || ms(at_work))).count()
}

#[test]
fn one_thread_serves_them_while_it_has_time() {
    let crew = Crew::of(4);
    let posts: Vec<Post> = (0..8).map(|_| crew.post()).collect();
    assert!(posts.iter().all(|post| post.thread() == 0));
    assert_eq!(let_go(&posts, 1000, 800), 0, "four fifths are not too much");
}

#[test]
fn many_are_spread_evenly() {
    let crew = Crew::of(2);
    let posts: Vec<Post> = (0..6 * MANY).map(|_| crew.post()).collect();
    assert_eq!(posts.iter().filter(|post| post.thread() == 1).count(), 3 * MANY);
}

#[test]
fn who_leaves_makes_room() {
    let crew = Crew::of(2);
    let mut posts: Vec<Post> = (0..=MANY).map(|_| crew.post()).collect();
    assert_eq!(posts[MANY].thread(), 1);
    posts.remove(0);
    assert_eq!(crew.post().thread(), 0);
}

#[test]
fn who_has_no_time_lets_half_of_them_go_to_another() {
    let crew = Crew::of(2);
    let posts: Vec<Post> = (0..8).map(|_| crew.post()).collect();
    assert_eq!(let_go(&posts, 250, 250), 0, "a moment says nothing");
    assert_eq!(let_go(&posts, 1000, 975), 4);
    assert_eq!(let_go(&posts, 1010, 985), 0, "the others stay");
    assert_eq!(crew.hands[0].share.load(super::Relaxed), 975);
}

#[test]
fn nobody_goes_where_nobody_has_time() {
    let crew = Crew::of(2);
    let here: Vec<Post> = (0..MANY).map(|_| crew.post()).collect();
    let there = [crew.post(), crew.post()];
    assert_eq!(let_go(&there, 1000, 999), 1, "the first still has time");
    assert_eq!(let_go(&here, 1000, 999), 0, "neither has");
    assert_eq!(let_go(&here, 4000, 3990), MANY / 2, "the other has done nothing for long");
}

#[test]
fn one_alone_keeps_them() {
    let post = Crew::of(1).post();
    assert!(!post.is_over());
}

#[cfg(unix)]
#[test]
fn a_thread_knows_how_long_it_was_at_work() {
    let (began, before) = (std::time::Instant::now(), super::at_work());
    while began.elapsed() < ms(30) {}
    let worked = super::at_work().saturating_sub(before);
    std::thread::sleep(ms(50));
    let with_rest = super::at_work().saturating_sub(before);
    assert!(worked > Duration::ZERO && with_rest >= worked, "{worked:?}, {with_rest:?}");
    assert!(with_rest + ms(40) < began.elapsed(), "who sleeps is not at work: {with_rest:?}");
}
