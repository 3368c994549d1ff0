// The page of a node: a folder, a model or a file.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.js";
import type { PageProps } from "../router.js";
import { ButtonLink } from "../ui/button.js";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/feedback.js";
import { Library } from "../ui/icon.js";
import { lazy } from "../ui/lazy.js";
import { Page } from "../ui/page.js";
import { FolderView } from "./folder.js";
import { useNode } from "./nodes.js";
import { Places } from "./places.js";
import { hrefOf, isFolder, isModel, isOwn, linkToken, type Node, nameOf } from "./view.js";

const loadFile = () => import("./file.js"), FileView = lazy(loadFile);
const ModelView = lazy(() => import("./model.js"));

export default function NodePage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "root", { node, path, error, reload } = useNode(id);
  useEffect(() => { if (id !== "root") void loadFile().catch(() => { /* FileView loads it again */ }); }, []); // while the node is read
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Not found" crumbs={[{ href: "/library", label: "Library" }]}>
        <EmptyState icon={Library} title="This item does not exist" action={<ButtonLink href="/library">Open the library</ButtonLink>}>
          {linkToken().link ? "The link has expired or was revoked." : "It was erased, or it is not shared with you."}
        </EmptyState>
      </Page>
    );
  }
  if (!node) {
    return (
      <div class="library">
        <Places />
        <div class="library-main">
          <Page title="Library">
            {error
              ? <ErrorState title="Could not load the library" error={error.message} retry={reload} />
              : <Loading what="the library"><Skeleton height={36} /><div class="gap" /><Skeleton rows={8} height={55} /></Loading>}
          </Page>
        </div>
      </div>
    );
  }
  const crumbs = path.slice(0, -1).map((n: Node) => ({ href: hrefOf(n), label: nameOf(n) }));
  if (isModel(node)) return <ModelView node={node} crumbs={crumbs} error={error} reload={reload} />;
  if (!isFolder(node)) return <FileView node={node} crumbs={crumbs} error={error} reload={reload} />;
  return (
    <div class={isOwn(node) ? "library" : "library alone"}>
      {isOwn(node) && <Places path={path.length > 0 ? path : [node]} />}
      <div class="library-main"><FolderView node={node} crumbs={crumbs} error={error} /></div>
    </div>
  );
}
