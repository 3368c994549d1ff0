// Copies text for the user.
import { toast } from "./toast.js";

/** Copies text to the clipboard and says so: what names the text, such as Link. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text); // fails without TLS
    toast(`${what} copied.`);
  } catch {
    toast("The browser does not allow copying. Select the text and copy it.", { bad: true });
  }
}
