//! Pictures of the page for the READMEs, and for people to look at: into the folder `CHAT_PICTURES`, if it is named.

use std::time::Duration;

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
