//! Pictures of the page for the READMEs, and for people to look at: into the folder `CHAT_PICTURES`, if it is named. The
//! frames of the moving one go to `frames/` in it, for `pictures/animate.py`.

use std::time::{Duration, Instant};

use crate::stage::{Setup, Stage, on_stage, pictures};

/// What a picture in the repository may weigh.
const MOST_BYTES: usize = 200 << 10;

async fn picture(stage: &Stage, name: &str) {
    let png = stage.driver.screenshot_as_png().await.unwrap();
    assert!(png.len() > 10_000 && png.len() < MOST_BYTES, "{name} has {} bytes", png.len());
    if let Some(folder) = pictures() {
        std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_each_assistant() {
    on_stage(Setup { pause: Duration::from_millis(12), ..Setup::default() }, async |stage| {
        stage.look_as(1280, 900, "light").await;
        stage.open("shopping").await;
        stage.until("return document.querySelector('#stage .done.valid')").await;
        picture(&stage, "landing").await;

        stage.look_as(1360, 700, "light").await;
        stage.open("finance").await;
        stage.ask("Compare my spending this month to last month").await;
        picture(&stage, "finance").await;

        stage.open("form").await;
        stage.say("Four days around the Øresund").await;
        stage.until("return document.querySelectorAll('#chat .form .field').length > 10").await;
        picture(&stage, "form").await;

        stage.look_as(390, 780, "light").await;
        stage.open("restaurant").await;
        stage.ask("Find a place for dinner, japanese please").await;
        picture(&stage, "phone").await;
    })
    .await;
}

/// How long the moving picture stands on its last frame, so that it can be read.
const REST: Duration = Duration::from_millis(2500);

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_an_answer_beside_its_json() {
    on_stage(Setup { pause: Duration::from_millis(60), ..Setup::default() }, async |stage| {
        stage.look_as(1200, 716, "light").await;
        stage.open("shopping").await;
        stage.until("return !document.querySelector('#badge').hidden").await;
        stage.say("I want chips for a party").await;
        let began = Instant::now();
        let mut frames: Vec<(Duration, Vec<u8>)> = Vec::new();
        let is_idle = "return document.querySelector('#chat').dataset.state === 'idle'";
        let mut is_over = false;
        while !is_over {
            // Once more after the end: that is the frame on which it rests.
            is_over = stage.eval(is_idle).await == true;
            let png = stage.driver.screenshot_as_png().await.unwrap();
            frames.push((began.elapsed(), png));
        }
        frames.dedup_by(|next, frame| next.1 == frame.1);
        assert!(frames.len() >= 5, "{} frames", frames.len());
        let Some(folder) = pictures() else { return };
        let folder = folder.join("frames");
        std::fs::create_dir_all(&folder).unwrap();
        let ends = frames.iter().skip(1).map(|(at, _)| *at).chain([frames[frames.len() - 1].0 + REST]);
        for (number, ((at, png), end)) in frames.iter().zip(ends).enumerate() {
            let name = format!("{number:03}-{}.png", (end - *at).as_millis());
            std::fs::write(folder.join(name), png).unwrap();
        }
    })
    .await;
}
