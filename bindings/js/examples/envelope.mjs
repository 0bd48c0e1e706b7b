// An answer that thinks aloud and ends with data for the program: what a person sees, and what the program gets.

import { Envelope } from "jsonspigot/envelope";

const envelope = new Envelope(["tag:think", "comment:context"], "next");
let shown = "";

function take(events) {
  for (const event of events) {
    if (event.kind === "text") shown += event.text;
    if (event.kind === "delta") console.log("next:", event.text);
    if (event.kind === "payload") console.log(event.mark, event.status, event.value ?? event.raw);
  }
}

for (const chunk of ["<thi", "nk>1 < 2</th", "ink>Take the tram. <!--con", 'text {"next": "Bell', 'evue"} --', ">Bye!"]) take(envelope.feed(chunk));
take(envelope.finish());
console.log("shown:", shown);
