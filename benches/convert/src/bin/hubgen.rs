//! Runs hubgen's conversions.

use std::hint::black_box;

use bench_convert::{Job, job};
use bench_counting::{peak, repeat};
use hubgen_apps as apps;
use hubgen_autoscaling as autoscaling;
use hubgen_extensions as extensions;
use hubgen_machinery::convert::Convert;
use hubgen_machinery::json::{self, Lexer};
use hubgen_machinery::reflect::DeepCopy;

const USAGE: &str =
    "expected FILE, then deployment|identical|hpa-up|hpa-down, then `convert|copy|whole|list COUNT`";

fn main() {
    let Job { json, words } = job();
    match &*words.iter().map(String::as_str).collect::<Vec<_>>() {
        ["deployment", rest @ ..] => {
            run::<extensions::v1beta1::Deployment, apps::v1::Deployment>(&json, rest)
        }
        ["identical", rest @ ..] => {
            run::<extensions::v1beta1::Deployment, apps::v1beta1::Deployment>(&json, rest)
        }
        ["hpa-up", rest @ ..] => {
            run::<autoscaling::v1::HorizontalPodAutoscaler, autoscaling::v2::HorizontalPodAutoscaler>(
                &json, rest,
            );
        }
        ["hpa-down", rest @ ..] => {
            run::<autoscaling::v2::HorizontalPodAutoscaler, autoscaling::v1::HorizontalPodAutoscaler>(
                &json, rest,
            );
        }
        _ => panic!("{USAGE}"),
    }
}

fn run<From: Convert, To: Convert<Hub = From::Hub>>(json: &[u8], words: &[&str]) {
    let object: From = json::decode(json).expect("the object is valid");
    let converted = |object: From| To::from_hub(object.to_hub()).expect("it fits");
    match words {
        // A conversion consumes its object, so each iteration makes a copy. `copy` measures that alone.
        ["convert", count] => repeat(count, || drop(black_box(converted(black_box(&object).deep_copy())))),
        ["copy", count] => repeat(count, || drop(black_box(black_box(&object).deep_copy()))),
        ["whole", count] => repeat(count, || {
            let object = json::decode(black_box(json)).expect("the object is valid");
            drop(black_box(json::encode(&converted(object)).unwrap()));
        }),
        ["list", count] => {
            let list = list_of(json, count.parse().expect("a count of items"));
            let mut written = 0;
            let most = peak(|| {
                let mut out = Vec::new();
                each_item(&list, |item| {
                    out.clear();
                    let object = json::decode(item.as_bytes()).expect("the object is valid");
                    out = json::encode(&converted(object)).unwrap();
                    written += black_box(&out).len();
                });
            });
            println!("{most} {} {written}", list.len());
        }
        _ => panic!("{USAGE}"),
    }
}

/// A list that contains an object `count` times.
fn list_of(json: &[u8], count: usize) -> String {
    let item = std::str::from_utf8(json).expect("JSON is UTF-8").trim();
    let mut list = String::from(r#"{"apiVersion":"v1","kind":"List","items":["#);
    for index in 0..count {
        list.push_str(if index == 0 { "" } else { "," });
        list.push_str(item);
    }
    list + "]}"
}

fn each_item(list: &str, mut visit: impl FnMut(&str)) {
    let mut lexer = Lexer::over(list);
    let mut more = lexer.enter_object().expect("a list");
    while more {
        if &*lexer.key().expect("a key") == "items" {
            let mut more = lexer.enter_array().expect("items");
            while more {
                visit(lexer.raw().expect("an item"));
                more = lexer.next_element().expect("another item");
            }
        } else {
            lexer.skip().expect("a value");
        }
        more = lexer.next_member().expect("another member");
    }
}
