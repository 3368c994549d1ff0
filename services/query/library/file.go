package library

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

func (a *Area) fileRoutes(r *web.Router) {
	web.Register(r, redirect("get-library-content", "/v1/library/files/{id}/content", "Download a file"), a.getContent, linked, ofFile)
	web.Register(r, redirect("get-library-image", "/v1/library/files/{id}/images/{image}", "Get a picture of a file"), a.getImage, linked, ofFile)
	web.Register(r, huma.Operation{
		OperationID: "list-library-images", Method: http.MethodGet, Path: "/v1/library/files/{id}/images", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "List the pictures of a file",
	}, a.listImages, linked, ofFile)
	web.Register(r, huma.Operation{
		OperationID: "get-library-metadata", Method: http.MethodGet, Path: "/v1/library/files/{id}/metadata", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get the metadata of a file", Description: "Only the owner sees where a photo was taken.",
	}, a.getMetadata, linked, ofFile)
	web.Register(r, huma.Operation{
		OperationID: "get-library-workflow", Method: http.MethodGet, Path: "/v1/library/files/{id}/workflow", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "List the processing steps of a file", Description: "Returns 404 before the file is Loaded, and again a few days after processing has finished.",
	}, a.getWorkflow, linked, ofFile)
}

func redirect(id, path, summary string) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Security: web.OptionalSecurity, Tags: []string{tag}, Summary: summary,
		Description: "Redirects to a presigned URL that is valid for 5 minutes.", DefaultStatus: http.StatusTemporaryRedirect,
	}
}

// downloadExpires is the lifetime of a presigned URL. A revoked permission takes effect after at most
// this time.
const downloadExpires = 5 * time.Minute

type redirectOutput struct {
	Location     string `header:"Location"`
	CacheControl string `header:"Cache-Control"`
}

type contentInput struct {
	web.IDParam
	ReaderParam
	Inline bool `query:"inline" doc:"display the content in the browser instead of saving it: PDF, JPEG, PNG, GIF and WebP; no effect on other types"`
}

// displayed lists the media types that a browser displays without running scripts in the file.
var displayed = []string{"application/pdf", "image/jpeg", "image/png", "image/gif", "image/webp"}

func (a *Area) getContent(ctx context.Context, in *contentInput) (*redirectOutput, error) {
	file, _, _, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	if file.Status == library.Loading {
		return nil, problem(errLoading)
	}
	detected, _ := file.Metadata["contentType"].(string)
	if !in.Inline || !slices.Contains(displayed, detected) {
		return a.download(ctx, file.Key, file.Name)
	}
	return a.redirectTo(ctx, file.Key, func() (string, error) {
		return a.bucket.PresignView(ctx, file.Key, file.Name, detected, downloadExpires)
	})
}

func (a *Area) download(ctx context.Context, key, name string) (*redirectOutput, error) {
	return a.redirectTo(ctx, key, func() (string, error) { return a.bucket.PresignGet(ctx, key, name, downloadExpires) })
}

// redirectTo returns a redirect to a presigned URL of an object, or a problem if the object does not exist.
func (a *Area) redirectTo(ctx context.Context, key string, presign func() (string, error)) (*redirectOutput, error) {
	if _, err := a.bucket.Head(ctx, key); errors.Is(err, blob.ErrNotFound) {
		return nil, problem(errGone)
	} else if err != nil {
		return nil, err
	}
	url, err := presign()
	return &redirectOutput{Location: url, CacheControl: noStore}, err
}

type imagesOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         imageList
}

type imageList struct {
	Images []library.ImageView `json:"images"`
}

func (a *Area) listImages(ctx context.Context, in *readInput) (*imagesOutput, error) {
	path, c, err := a.readable(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	images := path.Node().View(c).Images
	return &imagesOutput{CacheControl: noStore, Body: imageList{append([]library.ImageView{}, images...)}}, nil
}

type imageInput struct {
	web.IDParam
	ReaderParam
	Image string `path:"image" maxLength:"100" example:"300" doc:"id of the picture: 300, 600 or 1200 for a thumbnail of that size in pixels"`
}

func (a *Area) getImage(ctx context.Context, in *imageInput) (*redirectOutput, error) {
	file, _, _, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	i := slices.IndexFunc(file.Images, func(image library.Image) bool { return image.ID == in.Image })
	if i < 0 {
		return nil, web.NotFound("The file has no picture with this id" + a.without(ctx, file, extract.StepThumbnails) + ".")
	}
	key := file.Images[i].Key
	return a.download(ctx, key, strings.TrimSuffix(file.Name, path.Ext(file.Name))+"-"+in.Image+path.Ext(key))
}

// without returns the end of a sentence: the reason why a step produced nothing for a file, or "" if it is unknown.
func (a *Area) without(ctx context.Context, file library.File, step string) string {
	w, err := a.store.WorkflowOf(ctx, file)
	if err != nil || w.Run != file.Run { // the workflow of this run was removed
		return ""
	}
	if reason := w.StepResults[step].Reason; reason != "" {
		return ": " + reason
	}
	if slices.Contains(w.StepsOpen, step) {
		return " yet"
	}
	return ""
}

type metadataOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         metadataView
}

type metadataView struct {
	Metadata map[string]any `json:"metadata" nullable:"false"`
}

func (a *Area) getMetadata(ctx context.Context, in *readInput) (*metadataOutput, error) {
	file, _, c, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	view := metadataView{map[string]any{}}
	for name, value := range file.Metadata {
		if name != library.MetadataPlace || c.Owner == file.OwnedBy {
			view.Metadata[name] = value
		}
	}
	return &metadataOutput{CacheControl: noStore, Body: view}, nil
}

type workflowOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         library.WorkflowView
}

func (a *Area) getWorkflow(ctx context.Context, in *readInput) (*workflowOutput, error) {
	file, _, _, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	w, err := a.store.WorkflowOf(ctx, file)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && w.WorkflowType == library.EraseWorkflow {
		return nil, web.NotFound("The processing steps of this file do not exist yet or have been removed.")
	}
	if err != nil {
		return nil, problem(err)
	}
	return &workflowOutput{CacheControl: noStore, Body: w.View()}, nil
}
