//! The two pictures: cost per byte by chunk size, and by document size.
//!
//! Transparent background, mid-tone colours and grey labels are readable on light and dark pages.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::chunks::{Chunking, Input};
use crate::contenders::{self, FEED, FEED_WITH, KEEPING, Task};
use crate::measure::{Measured, measure};
use crate::payload::Kind;
use crate::rows::{CALL, Goal, Row};

const GREY: RGBColor = RGBColor(0x88, 0x88, 0x88);
const SIZE: (u32, u32) = (900, 560);
const LEGEND: i32 = 190;

/// One contender's line.
struct Line {
    name: String,
    colour: RGBColor,
    width: u32,
    /// Lengths of stroke and gap.
    dash: Option<(i32, i32)>,
    points: Vec<(f64, f64)>,
}

/// The labels and scales of a picture.
struct Picture<'t> {
    title: &'t str,
    across: &'t str,
    /// The range of costs per byte, in nanoseconds.
    page: (f64, f64),
    ticks: fn(f64) -> String,
}

/// Measures for about `seconds` and draws both pictures into `directory`.
pub fn draw(directory: &Path, seconds: f64) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(directory)?;
    let sizes = [1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 4_000_000];
    let chunks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
    let budget = Duration::from_secs_f64(seconds / (sizes.len() + chunks.len()) as f64);
    let row = |kind, size, chunking| Row { task: Task::Deltas, kind, size, chunking, goal: Goal::None };

    let lines = lines(chunks.map(|n| (n as f64, row(Kind::ToolCall, CALL, Chunking::Bytes(n)))).as_slice(), budget);
    let picture = Picture {
        title: "Text deltas by path from a 2.3 KB tool call",
        across: "bytes in a chunk",
        page: (0.01, 10_000.0),
        ticks: |x| format!("{x:.0}"),
    };
    paint(&directory.join("cost-by-chunk-size.svg"), &picture, &lines)?;

    let lines = self::lines(sizes.map(|n| (n as f64, row(Kind::LongText, n, Chunking::Token))).as_slice(), budget);
    let picture = Picture {
        title: "Text deltas of one long string, in chunks of 1 to 8 bytes",
        across: "document",
        page: (0.3, 3_000.0),
        ticks: |x| if x < 999_999.0 { format!("{:.0} KB", x / 1e3) } else { format!("{:.0} MB", x / 1e6) },
    };
    paint(&directory.join("cost-by-document-size.svg"), &picture, &lines)?;
    Ok(())
}

/// Measures all contenders for each row. A point is the x value and the nanoseconds per byte.
fn lines(rows: &[(f64, Row)], budget: Duration) -> Vec<Line> {
    let mut contenders = contenders::all();
    let measured: Vec<(f64, usize, Measured)> = rows
        .iter()
        .map(|(x, row)| {
            eprintln!("{} | {}", row.name(), row.chunking.name());
            (*x, mean_bytes(row), measure(row, &mut contenders, budget))
        })
        .collect();
    let per_byte = |seconds: f64, bytes: usize| seconds * 1e9 / bytes as f64;
    let mut lines = vec![Line {
        name: "serde_json, whole".into(),
        colour: GREY,
        width: 2,
        dash: None,
        points: measured.iter().map(|(x, bytes, all)| (*x, per_byte(all.yardstick.0, *bytes))).collect(),
    }];
    for (nth, contender) in contenders.iter().enumerate().filter(|(_, contender)| contender.name() != KEEPING) {
        let cost = |(x, bytes, all): &(f64, usize, Measured)| Some((*x, per_byte(all.costs[nth].figures()?.0, *bytes)));
        let (colour, width, dash) = look(contender.name(), nth);
        let points = measured.iter().filter_map(cost).collect();
        lines.push(Line { name: contender.name().replace('`', ""), colour, width, dash, points });
    }
    // jsonspigot, its peers, then the references in grey.
    lines.sort_by_key(|line| (line.colour == GREY, !line.name.starts_with("jsonspigot")));
    lines
}

/// Returns the mean length of a row's documents.
fn mean_bytes(row: &Row) -> usize {
    let inputs = Input::rotation(row.kind, row.size, Chunking::Whole);
    inputs.iter().map(Input::bytes).sum::<usize>() / inputs.len()
}

/// Returns colour, width and dash. The colours are mid-tones with contrast to white and black.
fn look(name: &str, nth: usize) -> (RGBColor, u32, Option<(i32, i32)>) {
    const OURS: RGBColor = RGBColor(0xE0, 0x4F, 0x2F);
    const TONES: [RGBColor; 8] = [
        RGBColor(0x3B, 0x82, 0xC4),
        RGBColor(0x9A, 0x6F, 0xC9),
        RGBColor(0x2F, 0x9E, 0x74),
        RGBColor(0xB8, 0x86, 0x1B),
        RGBColor(0xC7, 0x5B, 0x9B),
        RGBColor(0x4A, 0x9D, 0xA8),
        RGBColor(0x8C, 0x7A, 0x55),
        RGBColor(0x6B, 0x8E, 0x23),
    ];
    match name {
        FEED_WITH => (OURS, 4, None),
        FEED => (OURS, 4, Some((6, 4))),
        "memcpy" => (GREY, 2, Some((2, 4))),
        "table" => (GREY, 2, Some((5, 4))),
        "table + skip" => (GREY, 2, Some((10, 4))),
        _ => (TONES[nth % TONES.len()], 2, None),
    }
}

fn paint(file: &Path, picture: &Picture<'_>, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    let (chart_area, legend_area) = root.split_horizontally(SIZE.0 as i32 - LEGEND);
    let label = ("sans-serif", 14).into_font().color(&GREY);
    let across = lines.iter().flat_map(|line| &line.points).map(|&(x, _)| x);
    let (from, to) = across.fold((f64::INFINITY, 0.0_f64), |(from, to), x| (from.min(x), to.max(x)));
    let (bottom, top) = picture.page;
    let mut chart = ChartBuilder::on(&chart_area)
        .caption(picture.title, ("sans-serif", 18).into_font().color(&GREY))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d((from..to).log_scale(), (bottom..top).log_scale())?;
    chart
        .configure_mesh()
        .axis_style(GREY)
        .bold_line_style(GREY.mix(0.35))
        .light_line_style(GREY.mix(0.0))
        .label_style(label.clone())
        .x_desc(picture.across)
        .y_desc("nanoseconds a byte")
        .x_label_formatter(&|x| (picture.ticks)(*x))
        .y_label_formatter(&ToString::to_string)
        .draw()?;
    for line in lines.iter().rev() {
        let style = line.colour.stroke_width(line.width);
        let points = on_page(&line.points, picture.page);
        match line.dash {
            Some((stroke, gap)) => chart.draw_series(DashedLineSeries::new(points, stroke, gap, style))?,
            None => chart.draw_series(LineSeries::new(points, style))?,
        };
    }
    legend(&legend_area, lines, &label)?;
    root.present()?;
    Ok(())
}

/// Cuts a line where it leaves the picture.
fn on_page(points: &[(f64, f64)], (bottom, top): (f64, f64)) -> Vec<(f64, f64)> {
    let mut shown: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in points {
        let y = y.max(bottom);
        if y <= top {
            shown.push((x, y));
            continue;
        }
        if let Some(&(last_x, last_y)) = shown.last() {
            let part = (top / last_y).ln() / (y / last_y).ln();
            shown.push((last_x * (x / last_x).powf(part), top));
        }
        break;
    }
    shown
}

fn legend(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    lines: &[Line],
    label: &TextStyle<'_>,
) -> Result<(), Box<dyn Error>> {
    for (nth, line) in lines.iter().enumerate() {
        let y = 52 + 24 * nth as i32;
        let style = line.colour.stroke_width(line.width);
        let (stroke, gap) = line.dash.unwrap_or((22, 0));
        for from in (2..24).step_by((stroke + gap) as usize) {
            area.draw(&PathElement::new(vec![(from, y), ((from + stroke).min(24), y)], style))?;
        }
        area.draw(&Text::new(line.name.clone(), (32, y - 8), label.clone()))?;
    }
    Ok(())
}
