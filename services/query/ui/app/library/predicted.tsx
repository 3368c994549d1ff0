// The model that made the predictions of a file.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Model } from "../ui/icon.js";
import { Bdi, count } from "../ui/text.js";
import { type Trained, trainedOf } from "./learning.js";
import { readMetadata } from "./nodes.js";
import { addressOf, type Node } from "./view.js";

export function Predicted({ node }: { node: Node }): JSX.Element | null {
  const [trained, setTrained] = useState<Trained>();
  useEffect(() => {
    readMetadata(node.id).then((m) => setTrained(trainedOf(m)), () => undefined); // the tab with the metadata shows the error
  }, [node.id, node.version]);
  if (!trained) return null;
  const { modelId, modelName, modelVersion, column, fileId, fileName } = trained;
  return (
    <p class="predicted">
      <Model />
      <span>
        Predictions of <strong><Bdi text={column} /></strong> by <a href={addressOf(modelId)}><Bdi text={modelName} /></a>,
        version {count(modelVersion)}
        {fileId && <>, for the records of <a href={addressOf(fileId)}><Bdi text={fileName ?? "a file"} /></a></>}.
      </span>
    </p>
  );
}
