package library

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

func (a *Area) similarRoute(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-similar-library-files", Method: http.MethodGet, Path: "/v1/library/files/{id}/similar", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Find pictures that look the same as a picture",
		Description: "Returns pictures of the same owner that the caller may read: first files with the same bytes, then copies in another size, " +
			"format or quality or with small changes of light and color, the most similar first. Crops and rotated pictures are not found. Empty for files that are not pictures or not processed yet.",
	}, a.similar, linked, ofFile, indexed, wait.Refusals)
}

type similarInput struct {
	web.IDParam
	ReaderParam
	FreshParam
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type similarOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         similarFiles
}

type similarFiles struct {
	Files      []similarFile `json:"files" nullable:"false"`
	Incomplete bool          `json:"incomplete,omitempty" doc:"true if the owner has more than 100,000 pictures; only the newest 100,000 were compared"`
}

type similarFile struct {
	Node      library.NodeView `json:"node"`
	Identical bool             `json:"identical" doc:"the files have the same bytes"`
	Distance  int              `json:"distance" minimum:"0" maximum:"10" doc:"number of different bits of the perceptual hashes of 64 bits"`
}

func (a *Area) similar(ctx context.Context, in *similarInput) (*similarOutput, error) {
	file, _, c, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	if err := a.fresh(ctx, in.FreshParam, c); err != nil {
		return nil, problem(err)
	}
	near, more, err := a.searcher.Similar(ctx, in.ID, in.Limit)
	if err != nil {
		return nil, problem(err)
	}
	ids := make([]string, len(near))
	for i, n := range near {
		ids[i] = n.ID
	}
	nodes, err := a.seen(ctx, ids, c)
	if err != nil {
		return nil, problem(err)
	}
	files, err := a.store.Files(ctx, ids)
	if err != nil {
		return nil, problem(err)
	}
	out := &similarOutput{CacheControl: noStore, Body: similarFiles{Files: []similarFile{}, Incomplete: more}}
	own, _ := file.Metadata["sha256"].(string)
	for _, n := range near {
		node, ok := nodes[n.ID]
		if !ok {
			continue
		}
		sum, _ := files[n.ID].Metadata["sha256"].(string)
		out.Body.Files = append(out.Body.Files, similarFile{Node: node.View(c), Identical: sum == own && own != "", Distance: n.Distance})
	}
	slices.SortStableFunc(out.Body.Files, func(a, b similarFile) int {
		switch {
		case a.Identical == b.Identical:
			return 0
		case a.Identical:
			return -1
		}
		return 1
	})
	return out, nil
}
