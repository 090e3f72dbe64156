/** The counters of deliveries. A process that nobody monitors has none. */
export interface DeliveryMeters {
  /** Bodies were answered; `refused` of their readings were refused. */
  delivered(counts: { readonly requests: number; readonly readings: number; readonly refused: number }): void;
  /** A delivery failed with a fault of this kind, which is the code of the fault. Its readings are sent again. */
  failed(kind: string): void;
}
