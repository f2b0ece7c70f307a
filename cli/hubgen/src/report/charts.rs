//! Charts, which the user's own helm renders.

use std::fs;
use std::path::Path;
use std::process::Command;

use hubgen_terminal::{Diagnostic, Source};

use super::Report;
use super::args::Args;
use super::finding::Place;
use super::texts::Text;
use crate::input::Input;

/// What helm writes before each document: the template that it comes from.
const SOURCE: &str = "# Source: ";

/// Whether a folder is a chart, or a file is a packed one.
pub fn is_chart(path: &Path) -> bool {
    path.join("Chart.yaml").is_file()
        || path.is_file() && path.extension().is_some_and(|found| found == "tgz")
}

impl Report<'_> {
    /// Reports on what a chart renders to for the target release.
    pub fn chart(&mut self, chart: &Path, args: &Args) {
        let mut command = Command::new(&args.helm);
        command.args(["template", "release"]).arg(chart).arg("--include-crds");
        command.arg("--kube-version").arg(format!("{}.0", self.judge.release));
        for values in &args.values {
            command.arg("--values").arg(values);
        }
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                let message =
                    format!("this chart is not read: cannot start {}: {error}", args.helm.display());
                let help = "install helm, or name the program with --helm";
                return self.messages.report(&Diagnostic::file(chart, message, help));
            }
        };
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            let message = format!("helm cannot render this chart: {}", told.trim());
            let help = "give it the values that it needs with --values, and fetch what it depends on with `helm dependency build`";
            return self.messages.report(&Diagnostic::file(chart, message, help));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let name = format!("{}: as helm renders it", chart.display());
        let input = Input { source: Source::new(Path::new(&name), text), name, is_json: false };
        let locate = |at| place(chart, input.text(), at);
        self.text(&Text { input: &input, locate: &locate, is_patch: false, is_history: false });
    }
}

/// The place in a chart of a byte of what it renders to.
fn place(chart: &Path, text: &str, at: usize) -> Place {
    let source = source(text, at);
    // `web/templates/ingress.yaml` is in the folder of the chart `web`.
    let template = source.and_then(|source| Some(chart.join(source.split_once('/')?.1)));
    let template = template.and_then(|path| Some((fs::read_to_string(&path).ok()?, path)));
    if let Some((template, path)) = template {
        let line = line_of(&template, &text[at..]).unwrap_or(1);
        return Place { file: path.display().to_string(), line, column: 1, ..Place::default() };
    }
    // It is in a packed chart.
    let within = source.unwrap_or_default().to_owned();
    Place { file: chart.display().to_string(), within, ..Place::default() }
}

/// The template from which a byte comes, by the comment before its document or in its first line.
fn source(text: &str, at: usize) -> Option<&str> {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    text[..end].lines().rev().find_map(|line| line.strip_prefix(SOURCE)).map(str::trim)
}

/// The line of a template where an object begins: the one that names its version, or else its kind.
fn line_of(template: &str, document: &str) -> Option<u32> {
    let member = |name: &str| document.lines().find(|line| line.starts_with(name)).map(str::trim_end);
    let find = |wanted: &str| template.lines().position(|line| line.trim() == wanted);
    let at = member("apiVersion:").and_then(find).or_else(|| member("kind:").and_then(find))?;
    u32::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_at_the_lines_of_their_templates() {
        let rendered = "---\n# Source: web/templates/a.yaml\napiVersion: v1\nkind: Service\n---\n# Source: web/charts/db/templates/b.yaml\nkind: Ingress\n";
        let at = |text: &str| rendered.find(text).unwrap();
        assert_eq!(source(rendered, at("apiVersion")), Some("web/templates/a.yaml"));
        assert_eq!(source(rendered, at("kind: Ingress")), Some("web/charts/db/templates/b.yaml"));
        assert_eq!(source("kind: A\n", 0), None);

        let document = "apiVersion: extensions/v1beta1\nkind: Ingress\n";
        assert_eq!(
            line_of("{{ if .x }}\napiVersion: extensions/v1beta1\nkind: Ingress\n", document),
            Some(2)
        );
        assert_eq!(line_of("apiVersion: {{ .version }}\nkind: Ingress\n", document), Some(2));
        assert_eq!(line_of("{{ include \"all\" . }}\n", document), None);
    }
}
