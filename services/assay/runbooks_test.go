package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/cmd"
)

const (
	runbooks   = "../../docs/runbooks/"
	rulesFile  = "../../deploy/observability/prometheus/rules.yml"
	runbookURL = "https://github.com/assay-project/assay/blob/main/docs/runbooks/"
)

var (
	alertLine   = regexp.MustCompile(`(?m)^      - alert: (\w+)$`)
	runbookLine = regexp.MustCompile(`(?m)^          runbook_url: (\S+)$`)
	severity    = regexp.MustCompile(`(?m)^        labels: \{severity: (critical|warning)\}$`)
)

// TestEveryAlertHasARunbook checks that each alert has a page with its name, its severity and the three sections, that the
// index lists it, and that there is no other page.
func TestEveryAlertHasARunbook(t *testing.T) {
	rules, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	alerts, urls, severities := alertLine.FindAllSubmatch(rules, -1), runbookLine.FindAllSubmatch(rules, -1), severity.FindAllSubmatch(rules, -1)
	if len(alerts) == 0 || len(alerts) != len(urls) || len(alerts) != len(severities) {
		t.Fatalf("got %d alerts, %d runbook URLs and %d severities, want one of each for every alert", len(alerts), len(urls), len(severities))
	}
	index, err := os.ReadFile(runbooks + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]bool{"README.md": true}
	for i, match := range alerts {
		alert, urgency := string(match[1]), string(severities[i][1])
		page, ok := strings.CutPrefix(string(urls[i][1]), runbookURL)
		if !ok || pages[page] {
			t.Errorf("%s has the runbook %s, want a page of its own below %s", alert, urls[i][1], runbookURL)
		}
		pages[page] = true
		text, err := os.ReadFile(runbooks + page)
		if err != nil {
			t.Errorf("%s: %v", alert, err)
			continue
		}
		at := 0
		for _, part := range []string{"# " + alert + "\n", "\nSeverity: " + urgency + ".\n", "\n## Meaning\n", "\n## First look\n", "\n## Cure\n"} {
			found := strings.Index(string(text)[at:], part)
			if found < 0 {
				t.Errorf("%s does not contain %q in its place", page, part)
				break
			}
			at += found
		}
		if row := "| [" + alert + "](" + page + ") | " + urgency + " |"; !strings.Contains(string(index), row) {
			t.Errorf("README.md does not contain %s", row)
		}
	}
	all, err := filepath.Glob(runbooks + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if !pages[filepath.Base(path)] {
			t.Errorf("%s describes no alert", path)
		}
	}
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	inlineCode = regexp.MustCompile("`(assay [^`]+)`")
	shellWord  = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
)

// TestRunbookCommandsExist parses every command of the runbooks with the real commands and flags.
func TestRunbookCommandsExist(t *testing.T) {
	pages, err := filepath.Glob(runbooks + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(shellBlock.ReplaceAllString(string(page), "")), " ") // inline code can contain a line break
		var lines []string
		for _, code := range inlineCode.FindAllStringSubmatch(text, -1) {
			lines = append(lines, code[1])
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(page), -1) {
			lines = append(lines, strings.Split(block[1], "\n")...)
		}
		found := 0
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " #")
			if arguments, ok := strings.CutPrefix(line, "assay "); ok {
				found++
				if err := parses(t, arguments); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(path), line, err)
				}
			}
		}
		if found == 0 && !strings.Contains(path, "instance-down") {
			t.Errorf("%s contains no command of assay", filepath.Base(path))
		}
	}
}

// parses returns an error unless the arguments name a command and its flags. It prints the help of the command instead of
// running it.
func parses(t *testing.T, arguments string) error {
	t.Helper()
	words := []string{"assay"}
	for _, word := range shellWord.FindAllString(arguments, -1) {
		words = append(words, strings.Trim(word, `'"`))
	}
	var out, errs bytes.Buffer
	if status := cmd.Run(t.Context(), append(words[1:], "--help"), strings.NewReader(""), &out, &errs); status != 0 {
		return fmt.Errorf("exit status %d: %s", status, errs.String())
	}
	_, usage, _ := strings.Cut(out.String(), "Usage:\n")
	usage, _, _ = strings.Cut(usage, "\n")
	path := strings.Fields(usage)
	named := 0 // length of the command's path
	for named < len(words) && named < len(path) && words[named] == path[named] {
		named++
	}
	if group := strings.Contains(out.String(), "\nAvailable Commands:\n"); named < 2 || group && named < len(words) {
		return fmt.Errorf("no such command; the help shows %q", usage)
	}
	return nil
}
