package document

import (
	"context"

	"github.com/assay-project/assay/services/analyzer/library/page"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// ReaderName names the object that has the article of a web page as HTML that is safe to show.
const ReaderName = "reader.html"

// PageText returns the step that stores the article of a web page, as text and as HTML, and
// says what the page says of itself.
func PageText() step.Step {
	return step.Step{Time: textTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		data, err := f.Load(ctx, maxPage)
		if err != nil {
			return step.Result{}, err
		}
		p, err := page.Read(ctx, data, f.ContentType, nil, page.Limits{Text: maxText})
		if err != nil {
			return step.Result{}, judged(err)
		}
		if _, err := f.Store(ctx, ReaderName, "text/html; charset=utf-8", []byte(p.HTML)); err != nil {
			return step.Result{}, err
		}
		r, err := text(ctx, f, page.Engine, p.Text, p.Cut)
		if err != nil {
			return step.Result{}, err
		}
		for name, value := range map[string]string{
			"title": p.Title, "byline": p.Byline, "site": p.Site, "excerpt": p.Excerpt, "language": p.Language, "image": p.Image,
		} {
			put(r.Metadata, name, value)
		}
		put(r.Metadata, "published", p.Published)
		put(r.Metadata, "article", p.Article)
		return r, nil
	}}
}
