//! The page as it looks at several widths, in both colour schemes, and to a screen reader. With `CHAT_PICTURES`, a folder,
//! pictures of each state are kept for people to look at.

use serde_json::json;

use crate::stage::{Setup, Stage, on_stage};

/// The assistants, and a line for each.
const LINES: [(&str, &str); 5] = [
    ("shopping", "I want chips for a party"),
    ("finance", "Compare my spending this month to last month"),
    ("restaurant", "Find an Italian place for Saturday"),
    ("form", "Wrong at first: four days around the Øresund"),
    ("finance", "Hello #status:400"),
];

/// The controls that are too small for a finger.
const SMALL: &str = "all('button, summary, select, .menu a')
    .filter((it) => it.getClientRects().length > 0)
    .map((it) => [it.id || it.textContent || it.ariaLabel, it.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 44 || height < 44)
    .map(([name, { width, height }]) => `${name}: ${width} by ${height}`)";

/// Has axe-core look at the page, which `.ci/browser` has installed.
async fn check(stage: &Stage, what: &str) {
    let path = std::env::var("AXE_CORE").expect("AXE_CORE names axe-core's axe.min.js: `.ci/browser` sets it");
    stage.run(&std::fs::read_to_string(path).unwrap()).await;
    let run = "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done(violations.map(({ id, nodes }) =>
            ({ id, nodes: nodes.map(({ target, failureSummary }) => [target, failureSummary]) }))),
        (error) => done(String(error)));";
    let found = stage.driver.execute_async(run, Vec::new()).await.unwrap().json().clone();
    assert_eq!(found, json!([]), "{what}");
    stage.expect("document.documentElement.scrollWidth <= innerWidth", true).await;
    assert_eq!(stage.eval(SMALL).await, json!([]), "{what}");
}

async fn picture(stage: &Stage, name: &str) {
    let Some(folder) = std::env::var_os("CHAT_PICTURES") else { return };
    let png = stage.driver.screenshot_as_png().await.unwrap();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), png).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_wrong_and_every_target_has_44_pixels_each_way() {
    on_stage(Setup::default(), async |stage| {
        for (width, height, scheme) in
            [(1440, 900, "light"), (1440, 900, "dark"), (390, 844, "light"), (390, 844, "dark")]
        {
            stage.look_as(width, height, scheme).await;
            for (at, (assistant, line)) in LINES.into_iter().enumerate() {
                let what = format!("{width}-{scheme}-{at}-{assistant}");
                stage.open(assistant).await;
                if at == 0 {
                    stage.until("one('#stage .done.valid')").await;
                    check(&stage, &format!("{width}-{scheme}, landing")).await;
                    picture(&stage, &format!("{width}-{scheme}-landing")).await;
                }
                stage.ask(line).await;
                stage.run("all('details:not(.menu)').forEach((it) => { it.open = true })").await;
                check(&stage, &what).await;
                picture(&stage, &what).await;
            }
            stage.press("#conversations summary").await;
            stage.until("all('#conversation-list time').length > 4").await;
            check(&stage, &format!("{width}-{scheme}, conversations")).await;
            if width < 600 {
                stage.press("#toggle-details").await;
                check(&stage, &format!("{width}-{scheme}, details")).await;
                picture(&stage, &format!("{width}-{scheme}-details")).await;
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sees_what_this_is_and_is_one_click_from_an_answer() {
    on_stage(Setup::default(), async |stage| {
        stage.open("shopping").await;
        // The user's page has questions while the client that waits has nothing.
        stage.until("one('#stage .seen').textContent.includes('winter jacket')").await;
        stage.until("one('#stage .done').textContent.includes('Nothing may be acted on yet')").await;
        for (width, height) in [(1440, 900), (390, 844)] {
            stage.look_as(width, height, "light").await;
            stage.open("shopping").await;
            stage.expect("one('#stage').getBoundingClientRect().top < innerHeight / 2", true).await;
            stage.until("one('#stage .done.valid')").await;
            stage.expect("one('#stage .seen').textContent.includes('margin')", false).await;
            stage.expect("texts('#badge')", ["scripted model"]).await;
            stage.expect("[one('#details').getClientRects().length, all('#cards button').length]", [0, 4]).await;
            if width > 600 {
                let in_sight = "all('#cards button').every((it) => it.getBoundingClientRect().bottom <= \
                                one('#composer').getBoundingClientRect().top)";
                stage.expect(in_sight, true).await;
            }
            stage.press("#cards li:nth-child(2) button").await;
            stage.until("all('#chat .theirs').length === 1").await;
            stage.until_idle().await;
            stage.expect("texts('#chat .mine .said')", ["Compare my spending this month to last month"]).await;
            stage.expect("one('#details').getClientRects().length", i32::from(width > 600)).await;
        }
        let links: Vec<String> =
            serde_json::from_value(stage.eval("all('#codes a').map((it) => it.href)").await).unwrap();
        assert_eq!(links.len(), 4);
        for link in links {
            let page = reqwest::get(&link).await.unwrap().text().await.unwrap();
            assert!(page.contains("class=\"keyword\"") && page.contains("jsonspigot"), "{link}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_header_fits_every_phone() {
    on_stage(Setup::default(), async |stage| {
        for width in [320, 360, 390, 412, 600] {
            stage.look_as(width, 740, "light").await;
            stage.open("finance").await;
            stage.until("!one('#badge').hidden").await;
            let outside = "all('.bar :is(h1, select, button, summary, .badge)').filter((it) => \
                           it.getClientRects().length > 0 && it.getBoundingClientRect().right > innerWidth + 0.5)";
            stage.expect(&format!("{outside}.length"), 0).await;
            stage.expect("one('.bar').getBoundingClientRect().height < 64", true).await;
            stage.press("#conversations summary").await;
            let sides = "(({ left, right }) => left >= 0 && right <= innerWidth && right - left > 200)\
                         (one('#conversation-list').getBoundingClientRect())";
            stage.until(sides).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_jumps_in_any_turn() {
    on_stage(Setup::slowly(), async |stage| {
        for (width, height) in [(1440, 900), (390, 844)] {
            stage.look_as(width, height, "light").await;
            for (assistant, lines) in [
                ("shopping", ["I want chips for a party", "Spicy"]),
                ("finance", ["Compare my spending this month to last month", "Which account did I spend most from?"]),
                ("restaurant", ["Find an Italian place and book it", "I like Thai food"]),
                ("form", ["Wrong at first: four days around the Øresund", "Four days around the Øresund"]),
            ] {
                stage.open(assistant).await;
                for (turn, line) in lines.iter().enumerate() {
                    // The page's load is counted with the first turn.
                    stage
                        .run(&format!(
                            "window.shifts?.disconnect(); window.shift = 0;
                             window.shifts = new PerformanceObserver((list) => {{
                               for (const {{ value, hadRecentInput }} of list.getEntries()) if (!hadRecentInput) window.shift += value;
                             }});
                             window.shifts.observe({{ type: 'layout-shift', buffered: {} }})",
                            turn == 0
                        ))
                        .await;
                    stage.say(line).await;
                    stage.until("all('#chat .theirs[data-live]').length === 1").await;
                    if turn == 0 {
                        stage.until("one('#chat .theirs .said, #chat .theirs .field')").await;
                        picture(&stage, &format!("{width}-during-{assistant}")).await;
                    }
                    stage.until_idle().await;
                    let shift = stage.eval("window.shift").await.as_f64().unwrap();
                    println!("{assistant} at {width}, {line}: a shift of {shift:.3}");
                    assert!(shift < 0.1, "{assistant} at {width}, {line}: {shift}");
                }
            }
        }
    })
    .await;
}
