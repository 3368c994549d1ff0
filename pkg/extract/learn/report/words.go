package report

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// tiles returns the most important numbers.
func (r Report) tiles() []tile {
	var all []tile
	add := func(name string, v *float64, note string) {
		if v != nil {
			all = append(all, tile{name, rich(*v), note})
		}
	}
	against := func(what string, v *float64) string {
		if v == nil {
			return ""
		}
		return what + " " + rich(*v)
	}
	if g := r.Regression; g != nil {
		add("RMSE", g.RMSE, against("baseline:", g.BaselineRMSE))
		add("Mean absolute error", g.MAE, "")
		add("R²", g.R2, "1 is perfect, 0 the mean")
	}
	if c := r.Classification; c != nil {
		add("AUC", c.AUC, "guessing: 0.5")
		add("Accuracy", c.Accuracy, against("baseline:", c.BaselineAccuracy))
		add("Balanced accuracy", c.BalancedAccuracy, "guessing: 0.5")
		add("Log loss", c.LogLoss, against("baseline:", c.BaselineLogLoss))
	}
	left := 0
	for _, l := range r.Rows.LeftOut {
		left += l.Count
	}
	all = append(all, tile{"Rows", grouped(r.Rows.Used), grouped(left) + " left out"})
	return append(all, tile{"Features", grouped(r.Features.Used), grouped(r.Features.LeftOutTotal) + " columns left out"})
}

// reliability returns sentences about the interval and the applicability domain.
func (r Report) reliability() []string {
	var all []string
	if i := r.Interval; i != nil {
		all = append(all, fmt.Sprintf("%s of the values are within ±%s of their prediction.", percent(i.Coverage), rich(i.HalfWidth)))
	}
	if d := r.Domain; d != nil {
		similarity := "similarity to the nearest training row"
		if d.Kind == "tanimoto" {
			similarity = "Tanimoto similarity to the nearest training molecule"
		}
		trusted := "A prediction is inside the applicability domain if the " + similarity + " is at least " + rich(d.Threshold) + "; that of identical ones is 1."
		if d.Inside != nil {
			trusted += " " + percent(*d.Inside) + " of the training rows are inside, each compared with the others."
		}
		all = append(all, trusted)
	}
	return all
}

// facts returns the origin of the model.
func (r Report) facts() []fact {
	all := []fact{{"File", clean(r.File.Name)}, {"File id", clean(r.File.ID)}}
	number := func(name string, n int64) {
		if n != 0 {
			all = append(all, fact{name, fmt.Sprint(n)})
		}
	}
	number("File version", r.File.Version)
	number("File run", r.File.Run)
	if r.Model.ID != "" {
		all = append(all, fact{"Model id", clean(r.Model.ID)})
	}
	number("Model version", r.Model.Version)
	number("Training run", r.Model.Run)
	all = append(all, fact{"Learner", learnerName(r.Model.Learner)}, fact{"Seed", fmt.Sprint(r.Model.Seed)})
	if !r.Model.Created.IsZero() {
		all = append(all, fact{"Trained", r.Model.Created.UTC().Format("2006-01-02 15:04 UTC")})
	}
	for _, e := range r.Model.Engines {
		all = append(all, fact{clean(e.Name), clean(e.Version)})
	}
	return all
}

// learnerName returns the name of a learner for people.
func learnerName(name string) string {
	switch name {
	case "ridge":
		return "Ridge regression"
	case "logistic":
		return "Logistic regression"
	case "forest":
		return "Random forest"
	case "boosting":
		return "Gradient boosting"
	}
	return short(name)
}

// settings lists parameters, such as learning rate 0.1, trees 300, without limits of 0, which mean that there is no limit.
func settings(all []LearnerParameter) string {
	var texts []string
	for _, p := range all {
		if p.Value != 0 || !strings.HasPrefix(p.Name, "max") {
			texts = append(texts, words(short(p.Name))+" "+exact(p.Value))
		}
	}
	return strings.Join(texts, ", ")
}

// words splits a name in camel case, such as minLeaf, into words.
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' && b.Len() > 0 {
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// explanation returns why a record or a column is left out.
func explanation(text, code string) string {
	if text == "" {
		return clean(code)
	}
	return clean(text)
}

// groups describes how rows stay together in a fold.
func (s TrainingSplit) groups() string {
	switch s.GroupedBy {
	case "molecule":
		return "Rows of one molecule stay in one fold."
	case "identicalRows":
		return "Rows with the same features stay in one fold."
	}
	return ""
}

// sentence describes the cross-validation.
func (s TrainingSplit) sentence() string {
	if s.Folds == 0 {
		return ""
	}
	text := fmt.Sprintf("Cross-validation has %d folds", s.Folds)
	if s.Groups > 0 {
		text += " of " + grouped(s.Groups) + " groups"
	}
	text += "."
	if g := s.groups(); g != "" {
		text += " " + g
	}
	if len(s.Sizes) > 0 {
		sizes := make([]string, len(s.Sizes))
		for i, n := range s.Sizes {
			sizes[i] = grouped(n)
		}
		text += " Rows of the folds: " + strings.Join(sizes, ", ") + "."
	}
	return text
}

// kind names the task.
func (r Report) kind() string {
	if r.Task == learn.Classification && len(r.Classes) == 2 {
		return "Classification: " + short(r.Classes[0]) + " or " + short(r.Classes[1])
	}
	if r.Task == learn.Classification {
		return "Classification"
	}
	return "Regression"
}
